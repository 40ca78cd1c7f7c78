import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { RARELY_MS, useNews } from '../../ui/news.ts';
import { whenText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { phoneOf } from '../inbox/names.ts';
import { words } from './words.ts';

type Message = Schemas['MessageLogEntry'];

const MOST_SHOWN = 20;

/** Shows the latest messages that failed on this device, why, and where they can be sent again. */
export function Failed({ sessionId }: { readonly sessionId: string }): JSX.Element | null {
  const t = words();
  const found = useResource(`failed ${sessionId}`, (signal) =>
    call('listMessages', { params: { sessionId }, query: { status: 'failed', direction: 'outbound', limit: MOST_SHOWN } }, { signal }),
  );
  useNews(found, ({ type, session_id }) => session_id === sessionId && type === 'message.failed', {
    apartMs: RARELY_MS,
    isWaitedFor: false,
  });
  const load = found.load.value;
  if (load.state !== 'loaded' || load.data.messages.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="device-failed" data-testid="device-failed">
      <h2 id="device-failed">{t.failed}</h2>
      <ul class="rows">
        {load.data.messages.map((one) => (
          <Row key={one.id} message={one} />
        ))}
      </ul>
    </section>
  );
}

function Row({ message }: { readonly message: Message }): JSX.Element {
  const t = words();
  const { chat_id, body, message_type, reason, error, created_at } = message;
  const phone = phoneOf(chat_id);
  const to = phone === null ? chat_id : phoneText(phone);
  const [label, path] = placeOf(message);
  return (
    <li data-testid="failed-row">
      <div class="grow">
        <strong class="breaks">
          <bdi class="tel">{to}</bdi>
        </strong>
        <p class="small soft one-line">
          <bdi>{body ?? message_type}</bdi>
        </p>
        <p class="small breaks">
          <bdi>{reason ?? error}</bdi>
        </p>
      </div>
      <span class="small soft">{whenText(created_at)}</span>
      <a class="button slim" href={BASE + path} aria-label={`${t[label]}: ${to}`}>
        {t[label]}
      </a>
    </li>
  );
}

const placeOf = ({ session_id, chat_id, sent_by }: Message): readonly ['openCampaign' | 'openChat', string] =>
  sent_by?.kind === 'campaign' && sent_by.id !== null
    ? ['openCampaign', `/campaigns/${sent_by.id}?status=failed`]
    : ['openChat', `/inbox/${session_id}/${encodeURIComponent(chat_id)}`];
