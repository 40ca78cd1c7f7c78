import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../ui/badge.tsx';
import { Bones, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

const TONES = { green: 'good', yellow: 'warn', red: 'bad' } as const;

export function Health({ sessionId, status }: { readonly sessionId: string; readonly status: string }): JSX.Element {
  const t = words();
  const health = useResource(`${sessionId} ${status}`, (signal) => call('getSessionHealth', { params: { sessionId } }, { signal }));
  return (
    <section class="card stack">
      <h2>{t.health}</h2>
      <Loaded of={health} loading={<Bones count={1} />}>
        {({ color, reasons, node, queue, reconnects_24h }) => (
          <>
            <p>
              <Badge tone={TONES[color]} text={t.colors[color]} />
            </p>
            {reasons.map(({ what, advice }) => (
              <p key={what} class="notice warn small">
                {advice}
              </p>
            ))}
            <dl class="facts figures">
              <div>
                <dt>{t.waiting}</dt>
                <dd>{numberText(queue.depth)}</dd>
              </div>
              <div>
                <dt>{t.perMinute}</dt>
                <dd>{numberText(queue.sending_per_minute)}</dd>
              </div>
              <div>
                <dt>{t.reconnects}</dt>
                <dd>{numberText(reconnects_24h)}</dd>
              </div>
              <div>
                <dt>{t.node}</dt>
                <dd>{node ?? t.none}</dd>
              </div>
            </dl>
          </>
        )}
      </Loaded>
    </section>
  );
}
