import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { callForBytes } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Failure } from '../../ui/states.tsx';
import type { Entry } from './thread.ts';
import { words } from './words.ts';

/** Types displayed in the page. All others, especially SVG and HTML, can only be downloaded. */
const DRAWN = /^(image\/(png|jpeg|webp|gif)|video\/(mp4|webm)|audio\/[\w.+-]+)$/;

export function MessageFile({ entry }: { readonly entry: Entry }): JSX.Element {
  const t = words();
  const url = useSignal<string | null>(null);
  const acting = useAct();
  const place = useRef<HTMLDivElement>(null);
  const type = entry.media?.content_type ?? '';
  const isPicture = entry.message_type === 'image' || entry.message_type === 'sticker';
  const isDrawn = DRAWN.test(type);

  const load = (): Promise<void> =>
    acting.run(async () => {
      const bytes = await bytesOf(entry);
      url.value = URL.createObjectURL(new Blob([bytes], { type }));
    });
  const save = (): Promise<void> =>
    acting.run(async () => {
      const address = URL.createObjectURL(new Blob([await bytesOf(entry)], { type: 'application/octet-stream' }));
      const link = document.createElement('a');
      link.href = address;
      link.download = entry.media?.filename ?? `${entry.id}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    });
  useEffect(() => {
    const element = place.current;
    if (!element || !isPicture || !isDrawn || url.value !== null) return;
    const seen = new IntersectionObserver((all) => {
      if (!all.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      void load();
    });
    seen.observe(element);
    return () => seen.disconnect();
  }, [isDrawn, entry.id]);
  useEffect(
    () => () => {
      if (url.peek() !== null) URL.revokeObjectURL(url.peek() ?? '');
    },
    [],
  );
  const name = entry.media?.filename ?? t.kinds[entry.message_type];
  return (
    <div ref={place} class="file">
      {url.value !== null && isPicture && <img src={url.value} alt={entry.body || name} />}
      {/* biome-ignore lint/a11y/useMediaCaption: media from customers has no captions */}
      {url.value !== null && type.startsWith('video/') && <video controls src={url.value} aria-label={name} />}
      {/* biome-ignore lint/a11y/useMediaCaption: media from customers has no captions */}
      {url.value !== null && type.startsWith('audio/') && <audio controls src={url.value} aria-label={name} />}
      <div class="row">
        <span class="small breaks">{name}</span>
        {isDrawn && !isPicture && url.value === null && (
          <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={load}>
            {t.show}
            <span class="only-heard"> {name}</span>
          </button>
        )}
        {type !== '' && (
          <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={save}>
            {t.download}
            <span class="only-heard"> {name}</span>
          </button>
        )}
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
    </div>
  );
}

const bytesOf = ({ session_id: sessionId, id: messageId }: Entry): Promise<Blob> =>
  callForBytes('getMessageMedia', { params: { sessionId, messageId } });
