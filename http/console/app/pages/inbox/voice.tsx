import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api/request.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

/** Formats that phones play as a voice note, with the best one first. */
const KINDS = [
  ['audio/ogg;codecs=opus', 'voice.ogg'],
  ['audio/mp4', 'voice.m4a'],
  ['audio/webm;codecs=opus', 'voice.weba'],
] as const;

/** Returns undefined if the browser cannot record, for example on plain http. */
const kindHere = () =>
  typeof MediaRecorder === 'function' && navigator.mediaDevices ? KINDS.find(([type]) => MediaRecorder.isTypeSupported(type)) : undefined;

const LONGEST_MS = 15 * 60_000;

export type Listening = 'off' | 'asking' | 'on';

interface VoiceProps {
  readonly listening: Signal<Listening>;
  readonly isTaken: boolean;
  readonly onRecorded: (file: File) => void;
}

export function Voice({ listening, isTaken, onRecorded }: VoiceProps): JSX.Element | null {
  const t = words();
  const recorder = useRef<MediaRecorder | null>(null);
  const starting = useAct();
  const isGone = useRef(false);
  const wasSilent = useSignal(false);
  useEffect(
    () => () => {
      isGone.current = true;
      listening.value = 'off';
      discard(recorder.current);
    },
    [],
  );
  const kind = kindHere();
  if (!kind) return null;
  const [type, name] = kind;
  const isRecording = listening.value === 'on';
  const recorded = (parts: readonly Blob[] | null): void => {
    if (isGone.current) return;
    listening.value = 'off';
    wasSilent.value = parts?.length === 0;
    if (parts && parts.length > 0) onRecorded(new File([...parts], name, { type: type.replace(/;.*/, '') }));
  };
  const start = (): Promise<void> =>
    starting.run(async () => {
      listening.value = 'asking';
      wasSilent.value = false;
      try {
        const sound = await microphone();
        if (isGone.current) return hangUp(sound);
        recorder.current = record(sound, type, recorded);
        listening.value = 'on';
      } finally {
        if (!isGone.current && listening.value === 'asking') listening.value = 'off';
      }
    });
  return (
    <>
      <button
        type="button"
        class={isRecording ? 'button slim danger' : 'button slim plain'}
        data-testid="composer-voice"
        aria-pressed={isRecording}
        disabled={starting.isBusy.value || (isTaken && !isRecording)}
        onClick={() => (isRecording ? recorder.current?.stop() : void start())}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isRecording) discard(recorder.current);
        }}
      >
        <Icon name="voice" />
        <span class="only-heard">{t.record}</span>
      </button>
      <span role="status" class="small">
        {isRecording ? t.recording : wasSilent.value && t.notRecorded}
      </span>
      {starting.error.value && <Failure error={starting.error.value} />}
    </>
  );
}

async function microphone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (cause) {
    const t = words();
    const { name }: { name?: unknown } = Object(cause);
    const why = name === 'NotAllowedError' ? t.micDenied : name === 'NotFoundError' ? t.micMissing : t.micBroken;
    throw new ApiError(why, { code: 'NO_MICROPHONE' });
  }
}

function hangUp(sound: MediaStream): void {
  for (const track of sound.getTracks()) track.stop();
}

type Done = (parts: readonly Blob[] | null) => void;

/** `done` receives null if the recording was discarded. */
function record(sound: MediaStream, type: string, done: Done): MediaRecorder {
  try {
    return started(sound, type, done);
  } catch {
    hangUp(sound);
    throw new ApiError(words().micBroken, { code: 'NO_MICROPHONE' });
  }
}

function started(sound: MediaStream, type: string, done: Done): MediaRecorder {
  const recorder = new MediaRecorder(sound, { mimeType: type });
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => void (data.size > 0 && parts.push(data)));
  recorder.addEventListener('stop', () => {
    clearTimeout(limit);
    hangUp(sound);
    done(thrownAway.has(recorder) ? null : parts);
  });
  recorder.start();
  const limit = setTimeout(() => recorder.state === 'recording' && recorder.stop(), LONGEST_MS);
  return recorder;
}

const thrownAway = new WeakSet<MediaRecorder>();

function discard(recorder: MediaRecorder | null): void {
  if (recorder?.state !== 'recording') return;
  thrownAway.add(recorder);
  recorder.stop();
}
