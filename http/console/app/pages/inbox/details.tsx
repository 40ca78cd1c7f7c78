import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { person } from '../../state/session.ts';
import { zone } from '../../state/zone.ts';
import { useAct } from '../../ui/act.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { consentWords } from '../../words/consent.ts';
import { whenText } from '../../words/formats.ts';
import { clockInDays } from '../../words/moment.ts';
import { nameOfChat } from '../../words/person.ts';
import { phoneText } from '../../words/phone.ts';
import type { ChatActs } from './chat-acts.ts';
import { addressOf, phoneOf } from './names.ts';
import { PersonActs, PersonFacts, useContact } from './person-facts.tsx';
import { words } from './words.ts';

type FullChat = Schemas['InboxChatWithMetadata'];

interface DetailsProps {
  readonly chat: FullChat;
  readonly agents: readonly Schemas['Agent'][];
  readonly consent: Schemas['ConsentRecord'] | null;
  readonly acts: ChatActs;
  readonly onChat: (chat: FullChat) => void;
  readonly onConsent: () => void;
}

const STATUSES = ['open', 'pending', 'resolved'] as const;

export function Details({ chat, agents, consent, acts, onChat, onConsent }: DetailsProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const params = { sessionId: chat.session_id, chatId: chat.chat_id };
  const change = (body: Schemas['ChangeChatRequest']): Promise<void> =>
    acting.run(async () => onChat(await call('changeChat', { params, body })));
  const [phone, address] = [phoneOf(chat.chat_id), addressOf(chat.chat_id)];
  const found = useContact(address);
  return (
    <div class="stack">
      <div class="details-head">
        <Avatar id={chat.chat_id} name={chat.chat_name ?? ''} isGroup={chat.is_group === 1} size="large" />
        <h3>
          <bdi>{nameOfChat(chat)}</bdi>
        </h3>
        {chat.chat_name && (
          <p class="small soft breaks">
            <bdi>{phone === null ? chat.chat_id : phoneText(phone)}</bdi>
          </p>
        )}
        {consent && <p class={consent.status === 'opted_out' ? 'badge bad' : 'badge good'}>{consentWords().of[consent.status]}</p>}
        {address !== null && <PersonActs {...{ address, found, consent, onConsent }} />}
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="field">
        <label for="chat-status">{t.status}</label>
        <select
          id="chat-status"
          data-testid="chat-status"
          value={chat.status}
          onChange={(event) => acts.setStatus(STATUSES.find((one) => one === event.currentTarget.value) ?? 'open')}
        >
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {t.statuses[one]}
            </option>
          ))}
        </select>
      </div>
      <Assignment chat={chat} agents={agents} isBusy={acting.isBusy.value} onAgent={acts.assign} />
      <Snooze chat={chat} isBusy={acting.isBusy.value} onUntil={(snoozed_until) => change({ snoozed_until })} />
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
      <PersonFacts found={found} consent={consent} />
      <Tags chat={chat} isBusy={acting.isBusy.value} onAdd={acts.addTag} onRemove={acts.removeTag} />
    </div>
  );
}

interface SnoozeProps {
  readonly chat: FullChat;
  readonly isBusy: boolean;
  /** `until` is in epoch ms, or null to end the snooze. */
  readonly onUntil: (until: number | null) => void;
}

const HOUR_MS = 3_600_000;
const MORNING = '08:00';

const morningIn = (days: number): number => clockInDays(Date.now(), days, MORNING, zone.value);

/** The chat returns at the chosen time, or as soon as the customer writes. */
function Snooze({ chat, isBusy, onUntil }: SnoozeProps): JSX.Element {
  const t = words();
  if (chat.snoozed_until !== null)
    return (
      <p class="row small" data-testid="chat-snoozed">
        <span class="grow">{t.snoozedUntil(whenText(chat.snoozed_until))}</span>
        <button type="button" class="button slim" disabled={isBusy} data-testid="snooze-end" onClick={() => onUntil(null)}>
          {t.endSnooze}
        </button>
      </p>
    );
  const times = [
    ['hour', t.anHour, () => Date.now() + HOUR_MS],
    ['tomorrow', t.tomorrow, () => morningIn(1)],
    ['week', t.aWeek, () => morningIn(7)],
  ] as const;
  return (
    <fieldset class="snooze">
      <legend>{t.snooze}</legend>
      <div class="row">
        {times.map(([name, label, at]) => (
          <button
            key={name}
            type="button"
            class="button slim"
            disabled={isBusy}
            data-testid={`snooze-${name}`}
            onClick={() => onUntil(at())}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

interface AssignmentProps {
  readonly chat: FullChat;
  readonly agents: readonly Schemas['Agent'][];
  readonly isBusy: boolean;
  readonly onAgent: (agentId: string | null) => void;
}

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
