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
 * Looks into files and converts them in child processes, of each tenant in turn.
 *
 * A file that ended its child three times is not tried again for an hour. What is made outlives the job as an open
 * file, which whoever asked for it closes.
 */
export interface Converter {
  /**
   * Rejects with Unconvertible where the file cannot be converted; refuses OVERLOADED when too much of this tenant
   * waits, its processor time is used up, or no child can be started; and rejects as `source` does.
   */
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
  /** As read from the bytes. */
  readonly contentType: string;
  readonly sha256: string;
  open(): Promise<Bytes>;
}

export interface Converted {
  readonly notes: FileNotes;
  /** Null: the bytes of the source serve. */
  readonly made: { readonly type: string; readonly file: TakenResult } | null;
}

export interface ConverterDeps {
  readonly children: Pick<ChildProcesses, 'jobs' | 'stage' | 'run'>;
  /** `auto`, `off`, or the path of ffmpeg. */
  readonly ffmpeg: string;
  now(): number;
}

const LIMITS = { wallMs: 15_000, cpuSeconds: 60, heapMb: 192, memoryMb: 512, resultMb: 96 };
/** A minute of sound costs 3 s at most; of an hour, 180. */
const VOICE_LIMITS = { ...LIMITS, wallMs: 240_000, cpuSeconds: 190 };
/** An album, and the files of a bulk call, come one after the other. */
const KEPT_MS = 5_000;
const SLOTS = { slots: 2, share: 1, waiting: 64 };
const MAX_KILLS = 3;
const HOUR_MS = 3_600_000;
const REMEMBERED = 1_000;
/** Longer than any that is taken, so that it shows. */
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

export function createConverter({ children, ffmpeg: setting, now }: ConverterDeps): Converter {
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ ...SLOTS, full });
  const jobs = children.jobs({ module: new URL('./media-jobs.ts', import.meta.url), limits: LIMITS, keptMs: KEPT_MS, addons: true });
  const voices = children.jobs({ module: new URL('./media-jobs.ts', import.meta.url), limits: VOICE_LIMITS });
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

  const inChild = (tenantId: string, input: Staged, order: Recipe): Promise<Converted> =>
    (order.make === 'voice' ? voices : jobs).run(tenantId, { input, order, result: resultOf });

  /** As the staged file of what ffmpeg made; null: there is no ffmpeg for it. */
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

  async function converted(tenantId: string, source: ConvertedFile, recipe: Recipe): Promise<Converted> {
    if (recipe.make === 'voice') return voice(tenantId, source);
    const input = await children.stage(await source.open());
    try {
      return await inChild(tenantId, input, recipe);
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
