import type { Metadata } from 'sharp';
import { examined, opened, type Picture } from './image.ts';
import type { StickerPack } from './recipes.ts';
import { Unconvertible } from './unconvertible.ts';
import { webpFacts, withText } from './webp.ts';

/** Limits that phones impose: 512 × 512 pixels and 100 KB; if animated, 500 KB, 120 frames and 10 s. */
const SIDE = 512;
const MAX_BYTES = 100_000;
const MAX_ANIMATED_BYTES = 500_000;
const MAX_FRAMES = 120;
const MAX_MS = 10_000;
/** Maximum number of pixels in all frames of the source combined, because decoding them takes time. */
const MAX_PIXELS = 50_000_000;
const QUALITIES = [80, 60, 40, 20, 5];
const ANIMATED_QUALITIES = [60, 40, 20, 5];
const LEAST_MS = 20;
const NOTHING = { r: 0, g: 0, b: 0, alpha: 0 };

export async function sticker(
  file: Buffer,
  { pack, isAsked }: { readonly pack: StickerPack; readonly isAsked: boolean },
): Promise<Picture> {
  const found = await examined(file);
  const ready = found.format === 'webp' ? readySticker(file) : null;
  if (ready?.hasPack && !isAsked) return { notes: notesOf(ready.frames > 0), type: null };
  const webp = ready ? file : await encoded(file, found);
  const bytes = withText(webp, packText(pack));
  return { notes: notesOf(webpFacts(bytes).frames > 0), type: 'image/webp', bytes };
}

const notesOf = (animated: boolean) => ({ width: SIDE, height: SIDE, ...(animated && { animated }) });

function readySticker(file: Buffer) {
  const facts = webpFacts(file);
  const isSmall = file.length <= (facts.frames > 0 ? MAX_ANIMATED_BYTES : MAX_BYTES) - 2_000;
  return isSmall && facts.width === SIDE && facts.height === SIDE && facts.ms <= MAX_MS ? facts : null;
}

const packText = ({ id, name, publisher, emojis }: StickerPack): string =>
  JSON.stringify({ 'sticker-pack-id': id, 'sticker-pack-name': name, 'sticker-pack-publisher': publisher, emojis });

async function encoded(file: Buffer, found: Metadata): Promise<Buffer> {
  const frames = framesOf(found);
  const isAnimated = frames > 1;
  const most = (isAnimated ? MAX_ANIMATED_BYTES : MAX_BYTES) - 2_000;
  const delay = (found.delay ?? []).slice(0, frames).map((ms) => Math.max(LEAST_MS, ms || 100));
  const fitted = opened(file, isAnimated ? frames : false)
    .autoOrient()
    .resize({ width: SIDE, height: SIDE, fit: 'contain', background: NOTHING })
    .toColorspace('srgb');
  for (const quality of isAnimated ? ANIMATED_QUALITIES : QUALITIES) {
    const webp = await fitted
      .clone()
      .webp({ quality, effort: isAnimated ? 1 : 3, ...(isAnimated && { delay, loop: 0 }) })
      .toBuffer();
    if (webp.length <= most) return webp;
  }
  throw new Unconvertible('unreadable');
}

function framesOf({ pages = 1, width, height, pageHeight = height, delay = [] }: Metadata): number {
  let ms = 0;
  const inTime = delay.findIndex((one) => {
    ms += Math.max(LEAST_MS, one || 100);
    return ms > MAX_MS;
  });
  return Math.max(1, Math.min(pages, MAX_FRAMES, inTime < 0 ? pages : inTime, Math.floor(MAX_PIXELS / (width * pageHeight))));
}
