import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { LiveEvent } from '../../state/live.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { RARELY_MS, useNews } from '../../ui/news.ts';
import { Bones, Failure, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { phoneOf } from '../inbox/names.ts';
import { words } from './words.ts';

type Queued = Schemas['QueuedMessage'];

const LANES = ['reply', 'scheduled', 'blast'] as const;
const MOST_SHOWN = 50;

export function Queue({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const t = words();
  const queue = useResource(sessionId, (signal) => call('getQueue', { params: { sessionId } }, { signal }));
  const isNews = ({ type, session_id }: LiveEvent): boolean => session_id === sessionId && /^(message\.(sent|failed)|session\.)/.test(type);
  useNews(queue, isNews, { apartMs: RARELY_MS });
  return (
    <section class="card stack" data-testid="device-queue">
      <h2>{t.queue}</h2>
      <Loaded of={queue} loading={<Bones count={1} />}>
        {({ queue: list, depth }) => (
          <>
            {depth > 0 && (
              <div class="row apart">
                <p class="small soft">
                  {depth > list.length ? t.queueDepth(numberText(depth)) : LANES.map((lane) => laneText(list, lane)).join(' · ')}
                </p>
                <CancelAll sessionId={sessionId} count={depth} onDone={queue.reload} />
              </div>
            )}
            <Listing of={list.slice(0, MOST_SHOWN)} empty={<p class="soft">{t.queueEmpty}</p>}>
              {(one) => <Row key={one.id} sessionId={sessionId} message={one} onChange={queue.reload} />}
            </Listing>
            {list.length > MOST_SHOWN && <p class="small soft">{t.queueMore(numberText(depth - MOST_SHOWN))}</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

const laneText = (list: readonly Queued[], lane: Queued['lane']): string =>
  `${words().lanes[lane]}: ${numberText(list.filter((one) => one.lane === lane).length)}`;

interface RowProps {
  readonly sessionId: string;
  readonly message: Queued;
  readonly onChange: () => void;
}

function Row({ sessionId, message, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id: messageId, chat_id, body, message_type, lane, created_at } = message;
  const cancelling = useAct();
  const phone = phoneOf(chat_id);
  const to = phone === null ? chat_id : phoneText(phone);
  const cancel = (): Promise<void> =>
    cancelling.run(async () => {
      await call('cancelMessage', { params: { sessionId, messageId } });
      onChange();
    });
  return (
    <li data-testid="queue-row">
      <div class="line">
        <div class="grow">
          <strong class="breaks">
            <bdi class="tel">{to}</bdi>
          </strong>
          <p class="small soft one-line">{body ?? message_type}</p>
        </div>
        <span class="small soft">{whenText(created_at)}</span>
        <Badge tone="calm" text={t.lanes[lane]} />
        <button type="button" class="button slim" aria-label={t.cancelOf(to)} disabled={cancelling.isBusy.value} onClick={cancel}>
          {t.cancelOne}
        </button>
      </div>
      {cancelling.error.value && <Failure error={cancelling.error.value} />}
    </li>
  );
}

interface CancelAllProps {
  readonly sessionId: string;
  readonly count: number;
  readonly onDone: () => void;
}

function CancelAll({ sessionId, count, onDone }: CancelAllProps): JSX.Element {
  const t = words();
  const [isAsking, clearing] = [useSignal(false), useAct()];
  const params = { sessionId };
  const clear = (): Promise<void> =>
    clearing.run(async () => {
      await call('clearQueue', { params });
      isAsking.value = false;
      onDone();
    });
  return (
    <>
      <button type="button" class="button slim" aria-haspopup="dialog" onClick={() => (isAsking.value = true)}>
        {t.cancelAll}
      </button>
      <Confirm
        title={t.cancelAll}
        verb={t.cancelAll}
        isDangerous
        isOpen={isAsking.value}
        isBusy={clearing.isBusy.value}
        onClose={() => (isAsking.value = false)}
        onConfirm={clear}
      >
        <p>{t.cancelAllAsk(numberText(count))}</p>
        {clearing.error.value && <Failure error={clearing.error.value} />}
        <AsCode operation="clearQueue" input={{ params }} />
      </Confirm>
    </>
  );
}
