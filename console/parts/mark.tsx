import mark from '../style/mark.svg';

/** The mark of the product, next to its name. */
export function Mark() {
  return <img class="mark" src={mark} alt="" width={24} height={24} />;
}
