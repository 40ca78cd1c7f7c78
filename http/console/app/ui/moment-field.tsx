import type { JSX } from 'preact';
import { Field } from './field.tsx';
import { localText } from './moment.ts';

interface MomentFieldProps {
  readonly label: string;
  readonly at: number;
  readonly onAt: (at: number) => void;
  readonly hint?: string;
}

export const MomentField = ({ label, at, onAt, hint }: MomentFieldProps): JSX.Element => (
  <Field
    label={label}
    hint={hint}
    type="datetime-local"
    required
    value={localText(at)}
    onValue={(value) => {
      const chosen = new Date(value).getTime();
      if (!Number.isNaN(chosen)) onAt(chosen);
    }}
  />
);
