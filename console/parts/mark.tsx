import mark from '../style/mark.svg';

/** The mark of the product; its name stands beside it. */
export function Mark() {
  return <img class="mark" src={mark} alt="" width={24} height={24} />;
}
