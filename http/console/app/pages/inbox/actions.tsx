import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { type Act, useAct } from '../../ui/act.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { textOf } from './message-row.tsx';
import type { Entry } from './thread.ts';
import { lifeOf, whyOf } from './why.ts';
import { words } from './words.ts';

interface ActionsProps {
  readonly entry: Entry | null;
  readonly isConnected: boolean;
  readonly onClose: () => void;
  readonly onReply: (entry: Entry) => void;
  readonly onEntry: (entry: Entry) => void;
}

const EMOJI = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

type Asking = 'edit' | 'remove' | null;

export function Actions({ entry, isConnected, onClose, onReply, onEntry }: ActionsProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const asking = useSignal<Asking>(null);
  useEffect(() => {
    asking.value = null;
  }, [entry?.id]);
  const done = (work: () => Promise<Entry>): Promise<void> =>
    acting.run(async () => {
      onEntry(await work());
      asking.value = null;
      onClose();
    });
  const params = { sessionId: entry?.session_id ?? '', messageId: entry?.id ?? '' };
  return (
    <>
      <Dialog
        title={entry ? textOf(entry).slice(0, 60) : ''}
        isOpen={entry !== null && asking.value === null}
        onClose={() => asking.value === null && onClose()}
      >
        {entry && (
          <Menu
            {...{ entry, isConnected, acting, onClose }}
            onReply={() => {
              onReply(entry);
              onClose();
            }}
            onEdit={() => (asking.value = 'edit')}
            onRemove={() => (asking.value = 'remove')}
            onReact={(emoji) => done(() => call('reactToMessage', { params, body: { emoji } }))}
            onCancel={() => done(async () => ({ ...entry, ...(await call('cancelMessage', { params })) }))}
          />
        )}
      </Dialog>
      <Dialog title={t.editTitle} isOpen={entry !== null && asking.value === 'edit'} onClose={onClose}>
        {entry && (
          <EditForm
            body={entry.body ?? ''}
            acting={acting}
            onText={(body) => done(() => call('editMessage', { params, body: { body } }))}
          />
        )}
      </Dialog>
      <Confirm
        title={t.remove}
        verb={t.remove}
        isDangerous
        isOpen={entry !== null && asking.value === 'remove'}
        isBusy={acting.isBusy.value}
        onClose={onClose}
        onConfirm={() =>
          done(async () => {
            await call('deleteMessage', { params });
            return call('getMessage', { params });
          })
        }
      >
        <p>{t.removeAsk}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
      </Confirm>
    </>
  );
}

interface MenuProps {
  readonly entry: Entry;
  readonly isConnected: boolean;
  readonly acting: Act;
  readonly onReply: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  readonly onReact: (emoji: string) => void;
  readonly onCancel: () => void;
}

function Menu({ entry, isConnected, acting, onReply, onEdit, onRemove, onReact, onCancel }: MenuProps): JSX.Element {
  const t = words();
  const isOurs = entry.direction === 'outbound';
  const isOut = isOurs && ['sent', 'delivered', 'read'].includes(entry.status);
  const isBusy = acting.isBusy.value;
  return (
    <div class="stack">
      <fieldset class="row emoji" aria-label={t.react} disabled={isBusy}>
        {EMOJI.map((emoji) => (
          <button key={emoji} type="button" class="button plain" aria-label={`${t.react} ${emoji}`} onClick={() => onReact(emoji)}>
            {emoji}
          </button>
        ))}
      </fieldset>
      <div class="buttons">
        <button type="button" class="button" onClick={onReply}>
          {t.reply}
        </button>
        {isOut && entry.message_type === 'text' && (
          <button type="button" class="button" aria-haspopup="dialog" disabled={isBusy} onClick={onEdit}>
            {t.edit}
          </button>
        )}
        {isOurs && entry.status === 'queued' && (
          <button type="button" class="button" disabled={isBusy} onClick={onCancel}>
            {t.cancelSend}
          </button>
        )}
        {isOut && (
          <button type="button" class="button danger" aria-haspopup="dialog" disabled={isBusy} onClick={onRemove}>
            {t.remove}
          </button>
        )}
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      {isOurs && (
        <section class="stack" data-testid="message-why">
          <h3>{entry.status === 'delivered' || entry.status === 'read' ? t.life : t.why}</h3>
          <p>{whyOf(entry, isConnected)}</p>
          <ol class="small life">
            {lifeOf(entry).map(({ name, at }) => (
              <li key={name}>
                {name}: <time dateTime={new Date(at).toISOString()}>{whenText(at)}</time>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function EditForm({
  body,
  acting,
  onText,
}: {
  readonly body: string;
  readonly acting: Act;
  readonly onText: (body: string) => void;
}): JSX.Element {
  const t = words();
  const typed = useSignal(body);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.value.trim() !== '') onText(typed.value);
      }}
    >
      <Field label={t.newText} value={typed.value} onValue={(value) => (typed.value = value)} required lines={4} testId="edit-text" />
      {acting.error.value && <Failure error={acting.error.value} />}
      <button type="submit" class="button first" data-testid="edit-save" disabled={acting.isBusy.value}>
        {t.edit}
      </button>
    </form>
  );
}
