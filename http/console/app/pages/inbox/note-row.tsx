import type { JSX } from 'preact';
import { person } from '../../state/session.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/states.tsx';
import { clockText } from '../../words/formats.ts';
import type { Note } from './rows-of.ts';
import { words } from './words.ts';

interface NoteRowProps {
  readonly note: Note;
  readonly onGone: (id: string) => Promise<void>;
}

export function NoteRow({ note, onGone }: NoteRowProps): JSX.Element {
  const t = words();
  const acting = useAct();
  const who = person.value;
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
      {(who?.role === 'admin' || note.author === who?.agent_name) && (
        <button
          type="button"
          class="button plain slim"
          aria-label={t.removeNote}
          title={t.removeNote}
          disabled={acting.isBusy.value}
          onClick={() => acting.run(() => onGone(note.id))}
        >
          <Icon small name="close" />
        </button>
      )}
      {acting.error.value && <Failure error={acting.error.value} />}
    </li>
  );
}
