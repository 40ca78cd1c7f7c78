import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { Bar } from '../../ui/bar.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

interface SendingProps {
  readonly blasts: readonly Schemas['BlastCampaign'][];
}

export function Sending({ blasts }: SendingProps): JSX.Element | null {
  const t = words();
  if (blasts.length === 0) return null;
  return (
    <section class="card stack">
      <div class="card-head">
        <h2>{t.sending}</h2>
        <a class="small" href={`${BASE}/campaigns`}>
          {t.allCampaigns}
        </a>
      </div>
      {blasts.map(({ id, name, sent_count, failed_count, skipped_count, total_recipients, resumes_at }) => {
        const over = sent_count + failed_count + skipped_count;
        return (
          <div key={id} class="stack-small">
            <div class="row apart">
              <a class="breaks" href={`${BASE}/campaigns/${id}`}>
                <bdi>{name}</bdi>
              </a>
              <span class="small figures">{t.sent(numberText(over), numberText(total_recipients))}</span>
            </div>
            <Bar value={over} max={total_recipients} />
            {resumes_at !== null && <p class="small soft">{t.resumes(whenText(resumes_at))}</p>}
          </div>
        );
      })}
    </section>
  );
}
