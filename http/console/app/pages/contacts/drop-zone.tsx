import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import { words } from './words.ts';

interface DropZoneProps {
  readonly file: File | null;
  readonly onFile: (file: File | null) => void;
}

export function DropZone({ file, onFile }: DropZoneProps): JSX.Element {
  const t = words();
  const id = useId();
  const isOver = useSignal(false);
  const dropped = useSignal<File | null>(null);
  return (
    <fieldset
      aria-label={t.upload}
      class={isOver.value ? 'drop is-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        dropped.value = event.dataTransfer?.files[0] ?? null;
        onFile(dropped.value ?? file);
      }}
    >
      <Icon name="upload" />
      <label for={id}>
        <b>{t.dropHere}</b>
      </label>
      <p id={`${id}-hint`} class="small">
        {t.file}
      </p>
      <input
        id={id}
        type="file"
        accept=".csv,.xlsx,.vcf,text/csv,text/vcard"
        data-testid="import-file"
        aria-describedby={`${id}-hint`}
        onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
      />
      {/* The browser itself names only a file that was chosen with the button. */}
      {file !== null && file === dropped.value && (
        <p class="small">
          <bdi>{file.name}</bdi>
        </p>
      )}
    </fieldset>
  );
}
