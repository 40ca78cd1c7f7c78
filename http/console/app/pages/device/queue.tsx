import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Bones, Failure, Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

type Queued = Schemas['QueuedMessage'];

const LANES = ['reply', 'scheduled', 'blast'] as const;
const LOOK_MS = 5_000;
/** Of a lane; its number is told of the rest. */
const MOST_SHOWN = 10;

/** What waits to be sent, in the order in which it leaves: replies, then what is due, then campaigns. */
export function Queue({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const t = words();
  const params = { sessionId };
  const queue = useResource(sessionId, (signal) => call('getQueue', { params }, { signal }));
  const isAsked = useSignal(false);
  const clearing = useAct();
  useEffect(() => {
    const timer = setInterval(() => document.hidden || queue.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [sessionId]);
  const clear = (): Promise<void> =>
    clearing.run(async () => {
      await call('clearQueue', { params }).finally(() => {
        isAsked.value = false;
      });
      queue.reload();
    });
  return (
    <section class="card stack">
      <h2>{t.waiting}</h2>
      <Loaded of={queue} loading={<Bones count={1} />}>
        {({ depth, queue: list }) => (
          <>
            {depth === 0 && <p class="soft">{t.nothingWaits}</p>}
            {LANES.map((lane) => (
              <Lane key={lane} name={t.lanes[lane]} list={list.filter((one) => one.lane === lane)} onChange={queue.reload} />
            ))}
            {clearing.error.value && <Failure error={clearing.error.value} />}
            {depth > 0 && (
              <div class="row">
                <button type="button" class="button danger slim" aria-haspopup="dialog" onClick={() => (isAsked.value = true)}>
                  {t.cancelAll}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
      <Confirm
        title={t.cancelAll}
        verb={t.cancelAll}
        isDangerous
        isOpen={isAsked.value}
        isBusy={clearing.isBusy.value}
        onClose={() => (isAsked.value = false)}
        onConfirm={clear}
      >
        <p>{t.cancelAllAsk}</p>
      </Confirm>
    </section>
  );
}

interface LaneProps {
  readonly name: string;
  readonly list: readonly Queued[];
  readonly onChange: () => void;
}

function Lane({ name, list, onChange }: LaneProps): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <div class="stack">
      <h3>
        {name} <span class="soft figures">{numberText(list.length)}</span>
      </h3>
      <ul class="list">
        {list.slice(0, MOST_SHOWN).map((one) => (
          <Waiting key={one.id} message={one} onChange={onChange} />
        ))}
      </ul>
    </div>
  );
}

function Waiting({ message, onChange }: { readonly message: Queued; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id: messageId, session_id: sessionId, chat_id, body, message_type, created_at } = message;
  const cancelling = useAct();
  const cancel = (): Promise<void> =>
    cancelling.run(async () => {
      await call('cancelMessage', { params: { sessionId, messageId } });
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <p class="breaks">{body ?? message_type}</p>
          <p class="soft small breaks">
            {chat_id} · {whenText(created_at)}
          </p>
        </div>
        <button type="button" class="button slim" aria-label={t.cancelTo(chat_id)} disabled={cancelling.isBusy.value} onClick={cancel}>
          {t.cancel}
        </button>
      </div>
      {cancelling.error.value && <Failure error={cancelling.error.value} />}
    </li>
  );
}
