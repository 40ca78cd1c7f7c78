import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface RadiosProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, label: string, hint: string])[];
  readonly onValue: (value: Value) => void;
}

export function Radios<Value extends string>({ label, value, options, onValue }: RadiosProps<Value>): JSX.Element {
  const id = useId();
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {options.map(([one, text, hint]) => (
        <div key={one} class="radio">
          <input
            type="radio"
            id={`${id}-${one}`}
            name={id}
            checked={one === value}
            aria-describedby={`${id}-${one}-hint`}
            onChange={() => onValue(one)}
          />
          <label for={`${id}-${one}`}>{text}</label>
          <p class="hint" id={`${id}-${one}-hint`}>
            {hint}
          </p>
        </div>
      ))}
    </fieldset>
  );
}
