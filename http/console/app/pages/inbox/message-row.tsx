import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Outgoing } from '../../outbox/outbox.ts';
import { discard, notKept, sendAgain } from '../../state/outbox.ts';
import { timeText, whenText } from '../../words/formats.ts';
import { MessageFile } from './media.tsx';
import type { Entry } from './thread.ts';
import { words } from './words.ts';

interface MessageRowProps {
  readonly entry: Entry;
  /** The message that it answers, where it is known. */
  readonly quoted: Entry | undefined;
  readonly onActions: (entry: Entry) => void;
  readonly onRetry: (entry: Entry) => void;
  readonly onFull: (id: string) => void;
}

/** Lists have no more of these than their kind. */
const needsMore = ({ message_type, kind, wa_message_id }: Entry): boolean =>
  (message_type !== 'text' || kind != null) && wa_message_id === undefined;

export function MessageRow({ entry, quoted, onActions, onRetry, onFull }: MessageRowProps): JSX.Element {
  const t = words();
  useEffect(() => {
    if (needsMore(entry)) onFull(entry.id);
  }, [entry.id]);
  const isOurs = entry.direction === 'outbound';
  return (
    <li
      class={isOurs ? 'message own' : 'message'}
      data-testid="message-row"
      data-message-id={entry.id}
      data-direction={entry.direction}
      data-status={entry.status}
    >
      <div class="message-body">
        <p class="only-heard">{entry.sender_name || (isOurs ? t.you : t.customer)}</p>
        {entry.sender_name && !isOurs && entry.chat_id.endsWith('@g.us') && (
          <p class="small soft" aria-hidden="true">
            {entry.sender_name}
          </p>
        )}
        {entry.forwarded && <p class="small soft">{t.forwarded}</p>}
        {entry.kind && <p class="small soft">{t.contentOf[entry.kind]}</p>}
        {entry.ad && (
          <p class="small soft">
            {t.ad}: {[entry.ad.title, entry.ad.body].filter(Boolean).join(' · ')}
          </p>
        )}
        {quoted && <blockquote class="quote small">{textOf(quoted)}</blockquote>}
        <Content entry={entry} />
        {entry.reactions && entry.reactions.length > 0 && <p class="reactions">{entry.reactions.map(({ emoji }) => emoji).join(' ')}</p>}
      </div>
      <p class="message-foot small soft">
        <time dateTime={new Date(entry.created_at).toISOString()} title={whenText(entry.created_at)}>
          {timeText(entry.created_at)}
        </time>
        {entry.edited_at !== undefined && <span>{t.edited}</span>}
        {isOurs && <span class={`state ${entry.status}`}>{t.of[entry.status]}</span>}
        {isOurs && entry.status === 'failed' && (
          <button type="button" class="button plain slim" data-testid="message-retry" onClick={() => onRetry(entry)}>
            {t.retry}
          </button>
        )}
        {entry.status !== 'deleted' && (
          <button
            type="button"
            class="button plain slim message-more"
            aria-haspopup="dialog"
            aria-label={t.actions(textOf(entry).slice(0, 40))}
            onClick={() => onActions(entry)}
          >
            ⋯
          </button>
        )}
      </p>
    </li>
  );
}

/** What a message says, in a line. */
export function textOf({ message_type, body, status, kind, ad }: Entry): string {
  const t = words();
  if (status === 'deleted') return t.deletedText;
  if (message_type === 'reaction') return t.reacted(body ?? '');
  return body || (kind ? t.contentOf[kind] : ad?.title) || t.kinds[message_type];
}

/** Only ever as text: what strangers write never becomes markup. */
function Content({ entry }: { readonly entry: Entry }): JSX.Element {
  const t = words();
  const { message_type, body, status, location, contact, contacts, place, poll } = entry;
  if (status === 'deleted') return <p class="soft">{t.deletedText}</p>;
  switch (message_type) {
    case 'text':
      return <p class="message-text">{body}</p>;
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return (
        <>
          <MessageFile entry={entry} />
          {body && <p class="message-text">{body}</p>}
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

/** A message that is on its way from here. */
export function OutgoingRow({ one }: { readonly one: Outgoing }): JSX.Element {
  const t = words();
  return (
    <li
      class="message own"
      data-testid="message-row"
      data-message-id={one.key}
      data-direction="outbound"
      data-status={one.state === 'failed' ? 'failed' : 'waiting'}
    >
      <div class="message-body">
        <p class="only-heard">{t.you}</p>
        {one.filename !== null && <p class="small breaks">{one.filename}</p>}
        {one.text !== '' && <p class="message-text">{one.text}</p>}
      </div>
      <div class="message-foot small soft">
        {one.state !== 'failed' && <span>{one.state === 'sending' ? t.sending : t.waiting}</span>}
        {notKept.value.has(one.key) && <span>{t.notKept}</span>}
        {one.state === 'failed' && (
          <>
            <span class="state failed">{one.error ?? (one.tried ? t.unanswered : t.of.failed)}</span>
            <button type="button" class="button plain slim" data-testid="message-retry" onClick={() => sendAgain(one.key)}>
              {t.retry}
            </button>
            <button type="button" class="button plain slim" onClick={() => discard(one.key)}>
              {t.discard}
            </button>
          </>
        )}
      </div>
    </li>
  );
}
