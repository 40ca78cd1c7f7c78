/** All times are in µs. `tdur` is the CPU time that the thread spent on the event. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly tdur?: number;
}

const TASK = 'ThreadControllerImpl::RunTask';
const FRAME = 'ProxyMain::BeginMainFrame';

/** Returns the main thread's CPU time per frame, in ms. CPU time does not depend on other load. */
export function cpuOfFrames(trace: string): readonly number[] {
  const { traceEvents }: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse(trace);
  const byThread = Map.groupBy(traceEvents, ({ pid, tid }) => `${pid} ${tid}`);
  const threads = [...byThread.values()].toSorted((one, other) => framesOf(other).length - framesOf(one).length);
  const main = threads[0] ?? [];
  const begins = framesOf(main);
  const tasks = main.filter(({ name, ph }) => name === TASK && ph === 'X');
  return begins.slice(1).map((end, nth) => {
    const begin = begins[nth] ?? 0;
    return tasks.filter(({ ts }) => ts > begin && ts <= end).reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000;
  });
}

const framesOf = (events: readonly TraceEvent[]): readonly number[] =>
  events
    .filter(({ name, ph }) => name === FRAME && ph === 'X')
    .map(({ ts }) => ts)
    .toSorted((one, other) => one - other);
