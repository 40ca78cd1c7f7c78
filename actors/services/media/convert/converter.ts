import { createReadStream } from 'node:fs';
import type { ChildProcesses } from '../../../../runtime/child-processes/child-processes.ts';
import { TimeSpent } from '../../../../runtime/child-processes/cpu-budget.ts';
import type { Bytes, Staged } from '../../../../runtime/child-processes/job-folders.ts';
import type { ResultFile, TakenResult } from '../../../../runtime/child-processes/result-file.ts';
import { ChildEnded } from '../../../../runtime/child-processes/watched-process.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import type { FileNotes } from '../../../../store/media/derived-files.ts';
import { refusal } from '../../../domain/refusals.ts';
import { type Ffmpeg, openFfmpeg } from './ffmpeg.ts';
import { outcomeIn, type Recipe } from './recipes.ts';
import { Unconvertible } from './unconvertible.ts';

/**
 * Inspects and converts files in child processes. Tenants share the capacity fairly. If a file has
 * killed its child three times, it is not converted for an hour. The caller must close the
 * resulting file.
 */

export interface Converter {
  /** Fails with Unconvertible or OVERLOADED. Errors while `source` is read are passed on. */
  convert(tenantId: string, source: ConvertedFile, recipe: Recipe): Promise<Converted>;
  readonly ffmpeg: Ffmpeg;
  counts(): ConverterCounts;
}

export interface ConverterCounts {
  readonly running: number;
  readonly jobs: number;
  readonly killed: number;
  readonly refused: number;
}

export interface ConvertedFile {
  readonly contentType: string;
  readonly sha256: string;
  open(): Promise<Bytes>;
}

export interface Converted {
  readonly notes: FileNotes;
  /** The converted file. Null if the source's bytes can be used unchanged. */
  readonly made: { readonly type: string; readonly file: TakenResult } | null;
}

export interface ConverterDeps {
  readonly children: Pick<ChildProcesses, 'jobs' | 'stage' | 'run'>;
  /** `auto`, `off`, or the path of ffmpeg. */
  readonly ffmpeg: string;
  now(): number;
}

const LIMITS = { wallMs: 15_000, cpuSeconds: 60, heapMb: 192, memoryMb: 512, resultMb: 96 };
/** Converting sound takes at most 3 s of CPU time per minute, and therefore 180 s for an hour. */
const VOICE_LIMITS = { ...LIMITS, wallMs: 240_000, cpuSeconds: 190 };
const PDF_LIMITS = { ...LIMITS, cpuSeconds: 5 };
const KEPT_MS = 5_000;
const SLOTS = { slots: 2, share: 1, waiting: 64 };
const MAX_KILLS = 3;
const HOUR_MS = 3_600_000;
const REMEMBERED = 1_000;
/** One second longer than the limit, so that a file that is too long is recognized. */
const LONGEST_SECONDS = 3_601;
const TO_PCM = [
  '-map',
  '0:a:0',
  '-vn',
  '-sn',
  '-dn',
  '-map_metadata',
  '-1',
  '-ac',
  '1',
  '-ar',
  '16000',
  '-t',
  `${LONGEST_SECONDS}`,
  '-f',
  's16le',
];

const TO_FRAME = [
  ...['-map', '0:v:0', '-frames:v', '1', '-vf', 'scale=640:640:force_original_aspect_ratio=decrease'],
  ...['-c:v', 'mjpeg', '-q:v', '4', '-f', 'mjpeg'],
];
/** Makes pixels square, because phones and the size in the message assume square pixels. */
const SCALED = "scale='iw*sar':ih,scale='min(1280,iw)':'min(1280,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2,setsar=1";
const H264 = ['-c:v', 'libx264', '-profile:v', 'high', '-level', '4.0', '-pix_fmt', 'yuv420p', '-preset', 'veryfast', '-crf', '26'];
const RATE = ['-maxrate', '3M', '-bufsize', '6M'];
const AS_MP4 = ['-map_metadata', '-1', '-movflags', '+faststart', '-fs', '16M', '-f', 'mp4'];
const WAYS = {
  reorder: ['-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', ...AS_MP4],
  encode: [
    '-map',
    '0:v:0',
    '-map',
    '0:a:0?',
    ...H264,
    ...RATE,
    '-vf',
    SCALED,
    '-r',
    '30',
    '-c:a',
    'aac',
    '-b:a',
    '96k',
    '-ac',
    '2',
    ...AS_MP4,
  ],
  silence: ['-map', '0:v:0', '-an', '-c', 'copy', ...AS_MP4],
  loop: ['-map', '0:v:0', '-an', ...H264, ...RATE, '-vf', `fps=15,${SCALED}`, '-t', '20', ...AS_MP4],
} as const;

function wayOf({ video, audio, fastStart }: FileNotes, contentType: string, isLoop: boolean): keyof typeof WAYS | 'keep' {
  const plays = contentType === 'video/mp4' && video === 'avc1' && (audio === null || audio === undefined || audio === 'mp4a');
  if (isLoop) return plays && !audio && fastStart ? 'keep' : video === 'avc1' ? 'silence' : 'loop';
  if (plays && fastStart) return 'keep';
  return video === 'avc1' && (!audio || audio === 'mp4a') ? 'reorder' : 'encode';
}

async function* bytesOf({ path }: Staged): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path);
}

export function createConverter({ children, ffmpeg: setting, now }: ConverterDeps): Converter {
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ ...SLOTS, full });
  const jobs = children.jobs({ module: new URL('./media-jobs.ts', import.meta.url), limits: LIMITS, keptMs: KEPT_MS, addons: true });
  const voices = children.jobs({ module: new URL('./media-jobs.ts', import.meta.url), limits: VOICE_LIMITS });
  const pdfs = children.jobs({ module: new URL('./media-jobs.ts', import.meta.url), limits: PDF_LIMITS });
  const ffmpeg = openFfmpeg(children, setting);
  const kills = new RecentCache<string, { readonly times: number; readonly since: number }>(REMEMBERED);
  const counts = { running: 0, jobs: 0, killed: 0, refused: 0 };

  async function resultOf(file: ResultFile): Promise<Converted> {
    const outcome = outcomeIn(await file.next());
    if (outcome === null) throw new ChildEnded('output');
    if ('refused' in outcome) throw new Unconvertible(outcome.refused);
    const { notes, type } = outcome;
    return { notes, made: type === null ? null : { type, file: file.take() } };
  }

  const inChild = (tenantId: string, input: Staged, order: Recipe, contentType?: string): Promise<Converted> => {
    const readers = contentType === 'application/pdf' ? pdfs : order.make === 'voice' ? voices : jobs;
    return readers.run(tenantId, { input, order, result: resultOf });
  };

  function byFfmpeg(tenantId: string, input: Staged, contentType: string, args: readonly string[], before: readonly string[] = []) {
    return ffmpeg.run(tenantId, {
      input,
      contentType,
      before,
      args,
      async result(file) {
        if (!file) throw new Unconvertible('unreadable');
        const taken = file.take();
        try {
          return await children.stage(taken.bytes());
        } finally {
          await taken.close();
        }
      },
    });
  }

  async function voice(tenantId: string, source: ConvertedFile): Promise<Converted> {
    const input = await children.stage(await source.open());
    try {
      return await inChild(tenantId, input, { make: 'voice' });
    } catch (cause) {
      if (!(cause instanceof Unconvertible && cause.reason === 'needs_ffmpeg')) throw cause;
    } finally {
      await input.remove();
    }
    const again = await children.stage(await source.open());
    try {
      const pcm = await byFfmpeg(tenantId, again, source.contentType, TO_PCM);
      if (!pcm) throw new Unconvertible('needs_ffmpeg');
      try {
        return await inChild(tenantId, pcm, { make: 'voice', isPcm: true });
      } finally {
        await pcm.remove();
      }
    } finally {
      await again.remove();
    }
  }

  async function withCopy<R>({ path }: Staged, use: (copy: Staged) => Promise<R>): Promise<R> {
    const copy = await children.stage(createReadStream(path));
    try {
      return await use(copy);
    } finally {
      await copy.remove();
    }
  }

  async function notesOfVideo(tenantId: string, file: Staged, contentType: string): Promise<FileNotes> {
    const facts = await withCopy(file, (copy) => inChild(tenantId, copy, { make: 'facts' })).catch((cause) => {
      // Facts about AVI and MPEG files are missing here, because only ffmpeg reads these formats.
      if (cause instanceof Unconvertible) return null;
      throw cause;
    });
    return { ...facts?.notes, ...(await thumbnailOfVideo(tenantId, file, contentType).catch(() => null)) };
  }

  /** Prefers the frame after one second, because the first frame is often black. */
  async function thumbnailOfVideo(tenantId: string, file: Staged, contentType: string): Promise<FileNotes | null> {
    for (const before of [['-ss', '1'], []]) {
      const frame = await withCopy(file, (copy) => byFfmpeg(tenantId, copy, contentType, TO_FRAME, before)).catch((cause) => {
        if (cause instanceof Unconvertible) return null;
        throw cause;
      });
      if (!frame) continue;
      try {
        // If the video is too short, there is no frame at this time.
        const made = await inChild(tenantId, frame, { make: 'thumbnail' }).catch((cause) => {
          if (cause instanceof Unconvertible) return null;
          throw cause;
        });
        if (made) return made.notes;
      } finally {
        await frame.remove();
      }
    }
    return null;
  }

  async function video(tenantId: string, source: ConvertedFile, isLoop: boolean): Promise<Converted> {
    const input = await children.stage(await source.open());
    try {
      const { contentType } = source;
      const isGif = contentType === 'image/gif';
      const notes = isGif ? {} : await notesOfVideo(tenantId, input, contentType);
      const way = isGif ? 'loop' : wayOf(notes, contentType, isLoop);
      if (way === 'keep') return { notes, made: null };
      const mp4 = await withCopy(input, (copy) => byFfmpeg(tenantId, copy, contentType, WAYS[way]));
      if (!mp4) throw new Unconvertible('needs_ffmpeg');
      const taken: TakenResult = { bytes: () => bytesOf(mp4), close: () => mp4.remove() };
      try {
        return { notes: await notesOfVideo(tenantId, mp4, 'video/mp4'), made: { type: 'video/mp4', file: taken } };
      } catch (cause) {
        await mp4.remove();
        throw cause;
      }
    } finally {
      await input.remove();
    }
  }

  async function converted(tenantId: string, source: ConvertedFile, recipe: Recipe): Promise<Converted> {
    if (recipe.make === 'voice') return voice(tenantId, source);
    if (recipe.make === 'video') return video(tenantId, source, recipe.isLoop);
    const input = await children.stage(await source.open());
    try {
      return await inChild(tenantId, input, recipe, source.contentType);
    } finally {
      await input.remove();
    }
  }

  function isGivenUp(sha256: string): boolean {
    const known = kills.get(sha256);
    return known !== undefined && known.times >= MAX_KILLS && now() - known.since < HOUR_MS;
  }

  function countKill(sha256: string): void {
    counts.killed += 1;
    const known = kills.get(sha256);
    const isRecent = known !== undefined && now() - known.since < HOUR_MS;
    kills.set(sha256, { times: isRecent ? known.times + 1 : 1, since: now() });
  }

  return {
    ffmpeg,
    counts: () => ({ ...counts }),

    async convert(tenantId, source, recipe) {
      if (isGivenUp(source.sha256)) {
        counts.refused += 1;
        throw new Unconvertible('unreadable');
      }
      return slots.run(tenantId, async () => {
        counts.running += 1;
        counts.jobs += 1;
        try {
          return await converted(tenantId, source, recipe);
        } catch (cause) {
          if (cause instanceof TimeSpent) throw refusal('OVERLOADED', { retryAfterMs: Math.max(1_000, cause.freeAt - now()) });
          if (!(cause instanceof ChildEnded)) throw cause;
          if (cause.failure === 'stopped' || cause.failure === 'unwatched') throw full();
          countKill(source.sha256);
          throw new Unconvertible('unreadable');
        } finally {
          counts.running -= 1;
        }
      });
    },
  };
}
