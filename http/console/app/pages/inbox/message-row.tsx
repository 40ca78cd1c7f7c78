import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Outgoing } from '../../outbox/outbox.ts';
import { discard, notKept, sendAgain } from '../../state/outbox.ts';
import { person } from '../../state/session.ts';
import { Icon } from '../../ui/icon.tsx';
import { clockText, whenText } from '../../words/formats.ts';
import { MessageFile } from './media.tsx';
import type { Entry } from './thread.ts';
import { words } from './words.ts';

interface MessageRowProps {
  readonly entry: Entry;
  readonly quoted: Entry | undefined;
  readonly onActions: (entry: Entry) => void;
  readonly onRetry: (entry: Entry) => void;
  readonly onFull: (id: string) => void;
}

/** Whether the full message must be loaded, because lists contain only the kind of its content. */
const needsMore = ({ message_type, kind, wa_message_id }: Entry): boolean =>
  (message_type !== 'text' || kind != null) && wa_message_id === undefined;

export function MessageRow({ entry, quoted, onActions, onRetry, onFull }: MessageRowProps): JSX.Element {
  const t = words();
  useEffect(() => {
    if (needsMore(entry)) onFull(entry.id);
  }, [entry.id]);
  const isUnexplained = entry.status === 'failed' && entry.reason === undefined;
  useEffect(() => {
    // Loads the full message, because a failure event contains only a code and no explanation.
    if (isUnexplained) onFull(entry.id);
  }, [isUnexplained]);
  const isHeld = entry.status === 'queued' && entry.waiting === undefined;
  useEffect(() => {
    const timer = isHeld ? setTimeout(() => onFull(entry.id), HELD_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isHeld]);
  const isOurs = entry.direction === 'outbound';
  return (
    <li
      class={isOurs ? 'message own' : 'message'}
      data-testid="message-row"
      data-message-id={entry.id}
      data-direction={entry.direction}
      data-status={entry.status}
      data-sender={entry.sent_by?.kind}
    >
      {isOurs && (
        <p class="message-by">
          <Icon small name={SENDERS[entry.sent_by?.kind ?? 'owner']} />
          <bdi>{senderText(entry.sent_by)}</bdi>
        </p>
      )}
      <div class={entry.sent_by && MACHINES.has(entry.sent_by.kind) ? 'message-body machine' : 'message-body'}>
        {!isOurs && (
          <p class="only-heard">
            <bdi>{entry.sender_name || t.customer}</bdi>
          </p>
        )}
        {entry.sender_name && !isOurs && entry.chat_id.endsWith('@g.us') && (
          <p class="small soft" aria-hidden="true">
            <bdi>{entry.sender_name}</bdi>
          </p>
        )}
        {entry.forwarded && <p class="small soft">{t.forwarded}</p>}
        {entry.kind && <p class="small soft">{t.contentOf[entry.kind]}</p>}
        {entry.ad && (
          <p class="small soft">
            {t.ad}: {[entry.ad.title, entry.ad.body].filter(Boolean).join(' · ')}
          </p>
        )}
        {quoted && (
          <blockquote class="quote">
            <bdi>{textOf(quoted)}</bdi>
          </blockquote>
        )}
        <Content entry={entry} />
        {entry.removed_at !== undefined && <p class="small soft">{t.removed}</p>}
        <span class="message-at">
          <Marks entry={entry} />
          <time dateTime={new Date(entry.created_at).toISOString()} title={whenText(entry.created_at)}>
            {clockText(entry.created_at)}
          </time>
          {isOurs && <State status={entry.status} />}
        </span>
        {entry.status !== 'deleted' && (
          <button
            type="button"
            class="button slim message-more"
            aria-haspopup="dialog"
            aria-label={t.actions(textOf(entry).slice(0, 40))}
            onClick={() => onActions(entry)}
          >
            <Icon small name="more" />
          </button>
        )}
      </div>
      {entry.reactions && entry.reactions.length > 0 && <p class="reactions">{entry.reactions.map(({ emoji }) => emoji).join(' ')}</p>}
      {isOurs && <Why {...{ entry, onRetry }} />}
    </li>
  );
}

function Marks({ entry }: Pick<MessageRowProps, 'entry'>): JSX.Element {
  const t = words();
  return (
    <>
      {entry.starred && (
        <span data-testid="message-starred" title={t.starred}>
          <Icon small name="star" />
          <span class="only-heard">{t.starred}</span>
        </span>
      )}
      {entry.edited_at !== undefined && <span>{t.edited}</span>}
    </>
  );
}

function Why({ entry, onRetry }: Pick<MessageRowProps, 'entry' | 'onRetry'>): JSX.Element | null {
  if (entry.status === 'queued' && entry.waiting)
    return (
      <p class="message-why" data-testid="message-waiting">
        {waitingText(entry.waiting)}
      </p>
    );
  if (entry.status !== 'failed') return null;
  return (
    <p class="message-why failed">
      {entry.reason !== undefined && <span data-testid="message-reason">{entry.reason}</span>}
      <button type="button" class="button plain slim" data-testid="message-retry" onClick={() => onRetry(entry)}>
        {words().retry}
      </button>
    </p>
  );
}

const TICKS = {
  queued: 'clock',
  sent: 'check',
  delivered: 'checks',
  read: 'checks',
  failed: 'alert',
  cancelled: 'ban',
  deleted: 'ban',
} as const;

const State = ({ status }: Pick<Entry, 'status'>): JSX.Element => (
  <span class={`state ${status}`}>
    <Icon small name={TICKS[status]} />
    <span class="only-heard">{words().of[status]}</span>
  </span>
);

const SENDERS = {
  person: 'person',
  owner: 'person',
  agent: 'person',
  api_key: 'key',
  auto_reply: 'zap',
  ai: 'spark',
  campaign: 'campaign',
  scheduled: 'scheduled',
  store: 'shop',
  phone: 'phone',
} as const;

/** Most messages are sent immediately, so the reason for waiting is loaded only after this time. */
const HELD_MS = 1_500;

const MACHINES: ReadonlySet<string> = new Set(['api_key', 'auto_reply', 'ai', 'campaign', 'scheduled', 'store']);

function senderText(sender: Entry['sent_by']): string {
  const t = words();
  if (!sender) return t.you;
  const { kind, id, name } = sender;
  if ((kind === 'owner' || kind === 'agent') && id === person.value?.agent_id) return t.you;
  return [t.senders[kind], name].filter(Boolean).join(' · ');
}

function waitingText({ reason, until }: NonNullable<Entry['waiting']>): string {
  const t = words();
  const why = t.waitingFor[reason];
  return until === null || until === undefined ? why : t.waitingUntil(why, whenText(until));
}

const LONG = { characters: 2_000, lines: 20 } as const;

function Text({ children: text }: { readonly children: string }): JSX.Element {
  const isWhole = useSignal(false);
  const lines = text.split('\n');
  const isLong = text.length > LONG.characters || lines.length > LONG.lines;
  const shown = isLong && !isWhole.value ? lines.slice(0, LONG.lines).join('\n').slice(0, LONG.characters) : text;
  return (
    <>
      <p class="message-text">
        <bdi>{shown}</bdi>
      </p>
      {isLong && (
        <button type="button" class="button plain slim" data-testid="read-more" onClick={() => (isWhole.value = !isWhole.value)}>
          {isWhole.value ? words().readLess : words().readMore}
        </button>
      )}
    </>
  );
}

export function textOf({ message_type, body, status, kind, ad }: Entry): string {
  const t = words();
  if (status === 'deleted') return t.deletedText;
  if (message_type === 'reaction') return t.reacted(body ?? '');
  return body || (kind ? t.contentOf[kind] : ad?.title) || t.kinds[message_type];
}

/** Renders strangers' text as plain text, never as markup. */
function Content({ entry }: { readonly entry: Entry }): JSX.Element {
  const t = words();
  const { message_type, body, status, location, contact, contacts, place, poll } = entry;
  if (status === 'deleted') return <p class="soft">{t.deletedText}</p>;
  switch (message_type) {
    case 'text':
      return <Text>{body ?? ''}</Text>;
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return (
        <>
          <MessageFile entry={entry} />
          {body && <Text>{body}</Text>}
        </>
      );
    case 'location':
      return (
        <>
          {place && <p class="message-text">{[place.name, place.address].filter(Boolean).join(', ')}</p>}
          <p class="message-text">{location ? `${t.kinds.location}: ${location.lat}, ${location.lng}` : t.kinds.location}</p>
        </>
      );
    case 'contact':
      if (contacts && contacts.length > 0)
        return (
          <ul class="small">
            {contacts.map(({ name, phones }) => (
              <li key={`${name} ${phones[0]}`}>{[name, ...phones].join(' · ')}</li>
            ))}
          </ul>
        );
      return <p class="message-text">{contact ? `${contact.name} · ${contact.phone}` : t.kinds.contact}</p>;
    case 'poll':
      return (
        <>
          <p class="message-text">{poll?.name ?? body ?? t.kinds.poll}</p>
          {poll && (
            <ul class="poll small">
              {poll.choices.map((choice) => (
                <li key={choice}>{choice}</li>
              ))}
            </ul>
          )}
        </>
      );
    case 'reaction':
      return <p class="small soft">{t.reacted(body ?? '')}</p>;
  }
}

export function OutgoingRow({ one }: { readonly one: Outgoing }): JSX.Element {
  const t = words();
  return (
    <li
      class="message own"
      data-testid="message-row"
      data-message-id={one.key}
      data-direction="outbound"
      data-status={one.state === 'failed' ? 'failed' : 'waiting'}
      data-sender={person.value?.role === 'agent' ? 'agent' : 'owner'}
    >
      <p class="message-by">
        <Icon small name="person" />
        <bdi>{t.you}</bdi>
      </p>
      <div class="message-body">
        {one.filename !== null && <p class="small breaks">{one.filename}</p>}
        {one.text !== '' && <Text>{one.text}</Text>}
        <span class="message-at">
          <State status={one.state === 'failed' ? 'failed' : 'queued'} />
        </span>
      </div>
      {one.state !== 'failed' && <p class="message-why">{one.state === 'sending' ? t.sending : t.waiting}</p>}
      {notKept.value.has(one.key) && <p class="message-why">{t.notKept}</p>}
      {one.state === 'failed' && (
        <p class="message-why failed">
          <span data-testid="message-reason">{one.error ?? (one.tried ? t.unanswered : t.of.failed)}</span>
          <button type="button" class="button plain slim" data-testid="message-retry" onClick={() => sendAgain(one.key)}>
            {t.retry}
          </button>
          <button type="button" class="button plain slim" onClick={() => discard(one.key)}>
            {t.discard}
          </button>
        </p>
      )}
    </li>
  );
}
