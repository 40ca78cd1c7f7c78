import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly testId?: string;
  readonly type?: 'text' | 'tel' | 'url' | 'search' | 'password' | 'number' | 'date' | 'datetime-local' | 'time';
  readonly inputMode?: 'text' | 'numeric' | 'search';
  readonly autocomplete?: 'off' | 'tel' | 'one-time-code' | 'organization' | 'current-password';
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly class?: string;
  /** Suggested values. Other values are also accepted. */
  readonly options?: readonly string[];
  readonly lines?: number;
}

export function Field({ label, value, onValue, hint, fault, testId, lines = 1, options = [], ...rest }: FieldProps): JSX.Element {
  const id = useId();
  // The attributes of an input depend on its type in a way that TypeScript cannot check here.
  const attributes: object = rest;
  const told = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  const common = {
    id,
    value,
    'aria-invalid': fault ? true : undefined,
    'aria-describedby': told || undefined,
    'data-testid': testId,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines > 1 ? (
        <textarea {...attributes} {...common} rows={lines} onInput={(event) => onValue(event.currentTarget.value)} />
      ) : (
        <input
          {...attributes}
          {...common}
          list={options.length > 0 ? `${id}-options` : undefined}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
      {options.length > 0 && (
        <datalist id={`${id}-options`}>
          {options.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
