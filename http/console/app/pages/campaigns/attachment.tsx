import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { mediaTypeOf } from './content.ts';
import type { Media } from './steps.ts';
import { words } from './words.ts';

interface AttachmentProps {
  readonly media: Media | null;
  readonly onMedia: (media: Media | null) => void;
}

export function Attachment({ media, onMedia }: AttachmentProps): JSX.Element {
  const t = words();
  const id = useId();
  const uploading = useAct();
  const upload = (input: HTMLInputElement): Promise<void> =>
    uploading.run(async () => {
      const file = input.files?.[0];
      if (!file) return;
      const body = new FormData();
      body.append('file', file, file.name);
      const { key, content_type, filename, size } = await call('uploadMedia', { body });
      onMedia({ key, type: mediaTypeOf(content_type), name: filename, size });
    });
  return (
    <div class="field">
      {media === null && (
        <label for={id}>
          {t.media} <span class="meta">{t.optional}</span>
        </label>
      )}
      {media === null ? (
        <input
          id={id}
          type="file"
          data-testid="campaign-media"
          disabled={uploading.isBusy.value}
          onChange={({ currentTarget }) => void upload(currentTarget)}
        />
      ) : (
        <div class="attached" data-testid="campaign-attached">
          <Icon name="clip" />
          <span class="grow">
            <b class="breaks">
              <bdi>{media.name ?? t.mediaKinds[media.type]}</bdi>
            </b>
            <span class="small meta">{sizeText(media)}</span>
          </span>
          <button type="button" class="button plain slim" onClick={() => onMedia(null)}>
            {t.removeMedia}
          </button>
        </div>
      )}
      <p role="status" class="hint">
        {uploading.isBusy.value ? t.uploading : ''}
      </p>
      {uploading.error.value && <Failure error={uploading.error.value} />}
    </div>
  );
}

function sizeText({ type, size }: Media): string {
  const t = words();
  return size === null ? t.mediaKinds[type] : t.mediaOf(t.mediaKinds[type], numberText(Math.max(1, Math.round(size / 1_024))));
}
