import type { JSX } from 'preact';
import { words } from './words.ts';

interface AttestProps {
  readonly isOn: boolean;
  readonly onOn: (isOn: boolean) => void;
}

export const Attest = ({ isOn, onOn }: AttestProps): JSX.Element => (
  <label class="choice">
    <input type="checkbox" data-testid="campaign-attest" checked={isOn} onChange={(event) => onOn(event.currentTarget.checked)} />
    <span>
      <b>{words().attest}</b>
      <small>{words().attestHint}</small>
    </span>
  </label>
);
