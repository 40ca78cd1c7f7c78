import type { JSX } from 'preact';
import { common } from '../words/common.ts';
import { Icon } from './icon.tsx';

interface StepsProps {
  readonly names: readonly string[];
  readonly nth: number;
}

export const Steps = ({ names, nth }: StepsProps): JSX.Element => (
  <ol class="step-line" aria-label={common().steps}>
    {names.map((name, at) => (
      <li key={name} class={at < nth ? 'is-done' : undefined} aria-current={at === nth ? 'step' : undefined}>
        <span class="step-mark" aria-hidden="true">
          {at < nth ? <Icon name="check" small /> : at + 1}
        </span>
        <span class="step-name">{name}</span>
      </li>
    ))}
  </ol>
);
