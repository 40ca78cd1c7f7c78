import type { JSX } from 'preact';
import { Icon } from '../../ui/icon.tsx';
import { clockText } from '../../words/formats.ts';
import type { Note } from './rows-of.ts';
import { words } from './words.ts';

/** A note of the team, where it was written. Customers never see it. */
export function NoteRow({ note }: { readonly note: Note }): JSX.Element {
  const t = words();
  return (
    <li class="chat-note" data-testid="note-row">
      <Icon small name="lock" />
      <p class="grow message-text">
        <strong>
          <bdi>{t.toTeam(note.author ?? t.you)}</bdi>
        </strong>{' '}
        <bdi>{note.text}</bdi>
      </p>
      {note.created_at !== null && <time dateTime={new Date(note.created_at).toISOString()}>{clockText(note.created_at)}</time>}
    </li>
  );
}
