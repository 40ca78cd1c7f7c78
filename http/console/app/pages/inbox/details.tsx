import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { person } from '../../state/session.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { phoneOf } from './names.ts';
import { words } from './words.ts';

type FullChat = Schemas['InboxChatWithMetadata'];

interface DetailsProps {
  readonly chat: FullChat;
  readonly agents: readonly Schemas['Agent'][];
  readonly consent: Schemas['ConsentRecord'] | null | undefined;
  readonly onChat: (chat: FullChat) => void;
}

/** What the team knows of a chat: whose it is, how it stands, tags and notes. */
export function Details({ chat, agents, consent, onChat }: DetailsProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const params = { sessionId: chat.session_id, chatId: chat.chat_id };
  const change = (body: Schemas['ChangeChatRequest']): Promise<void> =>
    acting.run(async () => onChat(await call('changeChat', { params, body })));
  const phone = phoneOf(chat.chat_id);
  return (
    <div class="stack">
      {acting.error.value && <Failure error={acting.error.value} />}
      <Assignment
        chat={chat}
        agents={agents}
        isBusy={acting.isBusy.value}
        onAgent={(agent_id) => acting.run(async () => onChat(await call('assignChat', { params, body: { agent_id } })))}
      />
      <dl class="facts">
        <div>
          <dt>{t.address}</dt>
          <dd class="breaks">{phone === null ? chat.chat_id : `+${phone}`}</dd>
        </div>
        {phone !== null && (
          <div>
            <dt>{t.consent}</dt>
            <dd>{consent ? t.consentOf[consent.status] : t.noConsent}</dd>
          </div>
        )}
      </dl>
      <div class="row">
        <label class="check">
          <input type="checkbox" checked={chat.pinned} onChange={(event) => change({ pinned: event.currentTarget.checked })} />
          {t.pinned}
        </label>
        <label class="check">
          <input type="checkbox" checked={chat.archived} onChange={(event) => change({ archived: event.currentTarget.checked })} />
          {t.archived}
        </label>
      </div>
      <Tags
        chat={chat}
        isBusy={acting.isBusy.value}
        onAdd={(tag) => change({ add_tags: [tag] })}
        onRemove={(name) =>
          acting.run(async () => {
            // As they are now: others add tags too.
            const { tags } = await call('getChat', { params });
            onChat(await call('changeChat', { params, body: { tags: tags.filter((one) => one.name !== name) } }));
          })
        }
      />
      <Notes chat={chat} onChat={onChat} />
    </div>
  );
}

interface AssignmentProps {
  readonly chat: FullChat;
  readonly agents: readonly Schemas['Agent'][];
  readonly isBusy: boolean;
  readonly onAgent: (agentId: string | null) => void;
}

/** An owner names anybody of the team; an agent takes a chat or gives it back. */
function Assignment({ chat, agents, isBusy, onAgent }: AssignmentProps): JSX.Element {
  const t = words();
  const id = useId();
  const who = person.value;
  if (who?.role === 'agent') {
    const isMine = chat.agent_id === who.agent_id;
    return (
      <button
        type="button"
        class="button"
        data-testid="chat-assign"
        disabled={isBusy}
        onClick={() => onAgent(isMine ? null : who.agent_id)}
      >
        {isMine ? t.giveBack : t.take}
      </button>
    );
  }
  return (
    <div class="field">
      <label for={id}>{t.assign}</label>
      <select
        id={id}
        data-testid="chat-assign"
        value={chat.agent_id ?? ''}
        disabled={isBusy}
        onChange={(event) => onAgent(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      >
        <option value="">{t.nobody}</option>
        {agents
          .filter(({ is_active, id: agent }) => is_active || agent === chat.agent_id)
          .map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
      </select>
    </div>
  );
}

interface TagsProps {
  readonly chat: FullChat;
  readonly isBusy: boolean;
  readonly onAdd: (tag: Schemas['ChatTagInput']) => void;
  readonly onRemove: (name: string) => void;
}

const TAG_COLOR = '#0f6b63';

function Tags({ chat, isBusy, onAdd, onRemove }: TagsProps): JSX.Element {
  const t = words();
  const typed = useSignal('');
  const add = (): void => {
    const name = typed.value.trim();
    if (name === '' || chat.tags.some((one) => one.name === name)) return;
    onAdd({ name, color: TAG_COLOR });
    typed.value = '';
  };
  return (
    <section class="stack">
      <h3>{t.tags}</h3>
      {chat.tags.length > 0 && (
        <ul class="row">
          {chat.tags.map(({ name }) => (
            <li key={name} class="tag small">
              <span>{name}</span>
              <button
                type="button"
                class="button plain slim"
                disabled={isBusy}
                aria-label={t.removeTag(name)}
                onClick={() => onRemove(name)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Field label={t.newTag} value={typed.value} onValue={(value) => (typed.value = value)} maxLength={50} testId="tag-name" />
        <button type="submit" class="button slim" disabled={isBusy}>
          {t.addTag}
        </button>
      </form>
    </section>
  );
}

function Notes({ chat, onChat }: { readonly chat: FullChat; readonly onChat: (chat: FullChat) => void }): JSX.Element {
  const t = words();
  const typed = useSignal('');
  const acting = useAct();
  const params = { sessionId: chat.session_id, chatId: chat.chat_id };
  const add = (): Promise<void> =>
    acting.run(async () => {
      if (typed.value.trim() === '') return;
      onChat(await call('addChatNote', { params, body: { text: typed.value } }));
      typed.value = '';
    });
  const remove = (note: string): Promise<void> =>
    acting.run(async () => {
      // Notes go by their places, which others may have changed since they were read.
      const now = await call('getChat', { params });
      const index = now.notes.indexOf(note);
      if (index >= 0) await call('deleteChatNote', { params: { ...params, index } });
      onChat({ ...now, notes: now.notes.filter((_note, nth) => nth !== index) });
    });
  return (
    <section class="stack">
      <h3>{t.notes}</h3>
      {chat.notes.length === 0 && <p class="small soft">{t.noNotes}</p>}
      <ul class="stack">
        {chat.notes.map((note, nth) => (
          <li key={`${nth} ${note}`} class="note small">
            <p class="message-text">{note}</p>
            <button type="button" class="button plain slim" disabled={acting.isBusy.value} onClick={() => remove(note)}>
              {t.removeNote}
            </button>
          </li>
        ))}
      </ul>
      {acting.error.value && <Failure error={acting.error.value} />}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label={t.newNote} value={typed.value} onValue={(value) => (typed.value = value)} maxLength={4_096} testId="note-text" />
        <button type="submit" class="button slim" disabled={acting.isBusy.value} data-testid="note-add">
          {t.addNote}
        </button>
      </form>
    </section>
  );
}
