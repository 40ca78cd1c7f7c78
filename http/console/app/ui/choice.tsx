import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onValue: (value: Value) => void;
  readonly hint?: string | undefined;
  readonly required?: boolean;
}

export function Choice<Value extends string>({ label, value, options, onValue, hint, required }: ChoiceProps<Value>): JSX.Element {
  const id = useId();
  const choose = (chosen: string): void => {
    const option = options.find(([one]) => one === chosen);
    if (option) onValue(option[0]);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        required={required ?? false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
