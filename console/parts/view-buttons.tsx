import { Button } from './button.tsx';

interface ViewButtonsProps {
  readonly isJson: boolean;
  readonly onForm: () => void;
  readonly onJson: () => void;
}

/** Chooses between the form and the JSON of a class or an object. */
export function ViewButtons({ isJson, onForm, onJson }: ViewButtonsProps) {
  return (
    <div class="actions views">
      <Button aria-pressed={!isJson} onAct={onForm} text="Form" />
      <Button aria-pressed={isJson} onAct={onJson} text="JSON" />
    </div>
  );
}
