interface ViewButtonsProps {
  readonly isJson: boolean;
  readonly onForm: () => void;
  readonly onJson: () => void;
}

/** Chooses between the form and the JSON of a class or an object. */
export function ViewButtons({ isJson, onForm, onJson }: ViewButtonsProps) {
  return (
    <div class="actions views">
      <button type="button" aria-pressed={!isJson} onClick={onForm}>
        Form
      </button>
      <button type="button" aria-pressed={isJson} onClick={onJson}>
        JSON
      </button>
    </div>
  );
}
