import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

/** What phones play as a voice note, best first, with the name that says so. */
const KINDS = [
  ['audio/ogg;codecs=opus', 'voice.ogg'],
  ['audio/mp4', 'voice.m4a'],
  ['audio/webm;codecs=opus', 'voice.weba'],
] as const;

/** Absent where browsers cannot record, as on plain http. */
const kindHere = () =>
  typeof MediaRecorder === 'function' && navigator.mediaDevices ? KINDS.find(([type]) => MediaRecorder.isTypeSupported(type)) : undefined;

const LONGEST_MS = 15 * 60_000;

/** Records what is said until it is pressed again; Escape throws it away. */
export function Voice({ onRecorded }: { readonly onRecorded: (file: File) => void }): JSX.Element | null {
  const t = words();
  const recorder = useRef<MediaRecorder | null>(null);
  const isRecording = useSignal(false);
  const starting = useAct();
  useEffect(() => () => discard(recorder.current), []);
  const kind = kindHere();
  if (!kind) return null;
  const [type, name] = kind;
  const start = (): Promise<void> =>
    starting.run(async () => {
      const own = await record(type, (parts) => {
        isRecording.value = false;
        if (parts.length > 0) onRecorded(new File(parts, name, { type: type.replace(/;.*/, '') }));
      });
      recorder.current = own;
      isRecording.value = true;
    });
  return (
    <>
      <button
        type="button"
        class={isRecording.value ? 'button slim danger' : 'button slim'}
        data-testid="composer-voice"
        aria-pressed={isRecording.value}
        disabled={starting.isBusy.value}
        onClick={() => (isRecording.value ? recorder.current?.stop() : void start())}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isRecording.value) discard(recorder.current);
        }}
      >
        <Icon name="voice" />
        <span class="only-heard">{t.record}</span>
      </button>
      <span role="status" class="small">
        {isRecording.value && t.recording}
      </span>
      {starting.error.value && <Failure error={starting.error.value} />}
    </>
  );
}

/** Records from now on. `done` gets what was recorded; nothing where it was thrown away. Rejects where the browser may not listen. */
async function record(type: string, done: (parts: Blob[]) => void): Promise<MediaRecorder> {
  const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(sound, { mimeType: type });
  const parts: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => void (data.size > 0 && parts.push(data)));
  recorder.addEventListener('stop', () => {
    clearTimeout(limit);
    for (const track of sound.getTracks()) track.stop();
    done(thrownAway.has(recorder) ? [] : parts);
  });
  const limit = setTimeout(() => recorder.state === 'recording' && recorder.stop(), LONGEST_MS);
  recorder.start();
  return recorder;
}

const thrownAway = new WeakSet<MediaRecorder>();

function discard(recorder: MediaRecorder | null): void {
  if (recorder?.state !== 'recording') return;
  thrownAway.add(recorder);
  recorder.stop();
}
