import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Bar } from '../../ui/bar.tsx';
import { numberText } from '../../words/formats.ts';
import { figureText } from './tiles.tsx';
import { words } from './words.ts';

const MOST_SHOWN = 6;

export function Answers({ agents, ai, auto_replies }: Schemas['AnalyticsAnswers']): JSX.Element {
  const t = words();
  const busy = agents
    .filter(({ chats }) => chats > 0)
    .sort((one, other) => other.chats - one.chats)
    .slice(0, MOST_SHOWN);
  const most = busy[0]?.chats ?? 0;
  return (
    <div class="stack">
      {busy.length === 0 && <p class="soft">{t.noAnswers}</p>}
      <ul class="stack-small">
        {busy.map(({ id, name, chats, first_reply_median_ms }) => (
          <li key={id} class="answered">
            <Avatar id={id} name={name ?? ''} size="small" />
            <div>
              <div class="row apart small">
                <bdi class="breaks">{name ?? t.former}</bdi>
                <span class="figures">
                  {t.answeredBy(numberText(chats), first_reply_median_ms && figureText('median_first_reply_ms', first_reply_median_ms))}
                </span>
              </div>
              <Bar value={chats} max={most} />
            </div>
          </li>
        ))}
      </ul>
      <dl class="lines small">
        <div>
          <dt>{t.byAi}</dt>
          <dd>{t.aiDid(numberText(ai.answered), numberText(ai.handed_over), numberText(ai.silent))}</dd>
        </div>
        <div>
          <dt>{t.byRules}</dt>
          <dd>{t.rulesDid(numberText(auto_replies.matched))}</dd>
        </div>
      </dl>
    </div>
  );
}
