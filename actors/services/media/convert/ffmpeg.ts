import { accessSync, constants } from 'node:fs';
import type { ChildProcesses } from '../../../../runtime/child-processes/child-processes.ts';
import type { Staged } from '../../../../runtime/child-processes/job-folders.ts';
import type { ProgramJob } from '../../../../runtime/child-processes/programs.ts';
import { codeOf } from '../../../../runtime/errors.ts';

/**
 * Runs ffmpeg if the host has it. The type that was detected from the bytes decides how a file is
 * read. A file can therefore not make ffmpeg open other files, as a playlist or a list of files
 * would. Input and output are plain files in the folder of the job.
 */

export interface Ffmpeg {
  state(): Promise<FfmpegState>;
  run<R>(owner: string, job: FfmpegJob<R>): Promise<R | null>;
}

export interface FfmpegState {
  readonly found: boolean;
  readonly version: string | null;
  readonly usable: boolean;
}

export interface FfmpegJob<R> {
  readonly input: Staged;
  readonly contentType: string;
  readonly before?: readonly string[];
  readonly args: readonly string[];
  readonly result: ProgramJob<R>['result'];
}

const FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin'];
const FFMPEG_LIMITS = { wallMs: 60_000, cpuSeconds: 60, memoryMb: 512, addressSpaceMb: 1_536, fileMb: 200 };
const COMMON = ['-nostdin', '-hide_banner', '-v', 'error', '-protocol_whitelist', 'file,pipe', '-threads', '1'];
const NEEDED = ['libx264', 'aac'];

const DEMUXERS: readonly (readonly [types: RegExp, demuxer: string])[] = [
  [/^(audio|video)\/(x-m4[av]|mp4|quicktime|3gpp2?)$/, 'mov'],
  [/^(audio|video)\/(webm|matroska|x-matroska)$/, 'matroska'],
  [/^(audio|video|application)\/ogg/, 'ogg'],
  [/^audio\/aac$/, 'aac'],
  [/^audio\/amr$/, 'amr'],
  [/^audio\/(x-)?flac$/, 'flac'],
  [/^audio\/mpeg$/, 'mp3'],
  [/^audio\/(vnd\.wave|wav|x-wav)$/, 'wav'],
  [/^audio\/aiff$/, 'aiff'],
  [/^(audio|video)\/x-ms-(wma|wmv|asf)$/, 'asf'],
  [/^video\/(vnd\.avi|x-msvideo)$/, 'avi'],
  [/^video\/(mpeg|MP1S|MP2P)$/, 'mpeg'],
  [/^video\/mp2t$/, 'mpegts'],
  [/^image\/gif$/, 'gif'],
];

export function openFfmpeg(children: Pick<ChildProcesses, 'run' | 'stage'>, setting: string): Ffmpeg {
  const command =
    setting === 'off' ? null : setting === 'auto' ? (FOLDERS.map((folder) => `${folder}/ffmpeg`).find(isProgram) ?? null) : setting;
  let examined: Promise<FfmpegState> | null = null;

  async function said(path: string, arg: string): Promise<string> {
    const input = await children.stage([]);
    const result = async (_file: unknown, output: Buffer): Promise<string> => output.toString('latin1');
    try {
      return await children.run('', { command: path, args: ['-hide_banner', arg], limits: FFMPEG_LIMITS, input, result });
    } finally {
      await input.remove();
    }
  }

  async function examine(): Promise<FfmpegState> {
    if (command === null || !isProgram(command)) return { found: false, version: null, usable: false };
    try {
      const version = /^ffmpeg version (\S+)/.exec(await said(command, '-version'))?.[1] ?? null;
      const encoders = await said(command, '-encoders');
      return { found: true, version, usable: version !== null && NEEDED.every((name) => new RegExp(`\\s${name}\\s`).test(encoders)) };
    } catch (cause) {
      // The host has no capacity for another process right now. Check again in the next call.
      if (codeOf(cause) === 'OVERLOADED') throw cause;
      return { found: true, version: null, usable: false };
    }
  }

  function state(): Promise<FfmpegState> {
    examined ??= examine().catch((cause) => {
      examined = null;
      throw cause;
    });
    return examined;
  }

  return {
    state,

    async run(owner, { input, contentType, before = [], args, result }) {
      const demuxer = DEMUXERS.find(([types]) => types.test(contentType))?.[1];
      if (demuxer === undefined || command === null || !(await state()).usable) return null;
      const line = [...COMMON, ...before, '-f', demuxer, '-i', 'in', ...args, '-y', 'out'];
      return children.run(owner, { command, args: line, limits: FFMPEG_LIMITS, input, result });
    },
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path.startsWith('/');
  } catch {
    return false;
  }
}
