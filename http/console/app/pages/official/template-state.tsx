import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Badge } from '../../ui/badge.tsx';
import { PhoneFrame } from '../../ui/phone-frame.tsx';
import { wordOf, words } from './words.ts';

interface StateProps {
  readonly official: NonNullable<Schemas['Template']['official']>;
}

const TONES = new Map([
  ['approved', 'good'],
  ['pending', 'calm'],
] as const);

export const TemplateBadge = ({ official: { status } }: StateProps): JSX.Element => (
  <span data-testid="template-state" data-status={status}>
    <Badge tone={[...TONES].find(([one]) => one === status)?.[1] ?? 'warn'} text={wordOf(words().statuses, status)} />
  </span>
);

export function TemplateFacts({ official, body }: StateProps & { readonly body: string | null }): JSX.Element {
  const t = words();
  const { language, category, reason } = official;
  return (
    <>
      <p class="soft small">
        {wordOf(t.categories, category)} · {language}
      </p>
      {reason !== null && <p class="notice warn small">{t.because(reason)}</p>}
      <details>
        <summary>{t.picture}</summary>
        <PhoneFrame text={body} />
      </details>
    </>
  );
}
