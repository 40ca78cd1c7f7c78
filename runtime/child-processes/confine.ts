/** Absolute paths of the host's own programs; null where it has no such program, or it does not work here. */
export interface HostTools {
  readonly unshare: string | null;
  readonly setpriv: string | null;
  readonly choom: string | null;
  readonly prlimit: string | null;
  readonly mount: string | null;
  readonly sh: string | null;
}

/** What a host gives to confine processes with. */
export interface Host {
  readonly tools: HostTools;
  /**
   * Whether children run in namespaces of their own: no network, no other process, no files of the gateway. In
   * `no-proc` they have no `/proc` either: containers mask parts of theirs, and the kernel allows no other one then.
   */
  readonly namespaces: 'own-proc' | 'no-proc' | null;
  /** Whether memory and CPU of a process and its descendants can be read. */
  readonly proc: boolean;
}

/** What one process, with its descendants, may use; it is killed where it wants more. */
export interface ProcessLimits {
  /** Real time: what a processor is busy with knows no other. */
  readonly wallMs: number;
  readonly cpuSeconds: number;
  /** Resident memory of the process and its descendants. */
  readonly memoryMb: number;
  /** What it writes: each file, and all files of its folder together. */
  readonly fileMb: number;
  /** Not for Node, whose engine reserves many gigabytes of addresses and uses few. */
  readonly addressSpaceMb?: number;
}

export interface Confinement {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly limits: ProcessLimits;
  /** Absolute paths of folders and files that it must not see. Each exists or not. */
  readonly hidden: readonly string[];
}

const MB = 1_048_576;
const MAX_DESCRIPTORS = 256;
/**
 * Writable memory beyond the resident memory that is watched: the kernel refuses more at once, so that a burst
 * between two looks of the watch is bounded. An idle Node counts some 600 MB, of which it touches 50.
 */
const DATA_BEYOND_MB = 1_024;

/** A network, processes, mounts and users of its own; all of its processes die with `unshare`. */
const NAMESPACES = ['-r', '-n', '-p', '-m', '--fork', '--kill-child'];

/**
 * Run by the first process of the namespaces, which outlives the program so that signals mean to the program what
 * they mean elsewhere. An empty folder that nobody may open covers each hidden folder, `/dev/null` each hidden file.
 */
const COVER = `mount=$1; shift
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then "$mount" -t tmpfs -o size=4k,mode=0 none "$1" || exit 125
  elif [ -e "$1" ]; then "$mount" --bind /dev/null "$1" || exit 125
  fi
  shift
done
shift
unset PWD OLDPWD
"$@"
exit $?`;

/** Nobody in the namespaces may uncover what is covered. */
const POWERLESS = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'];

/**
 * The command line that starts a program confined as far as this host can: the program dies with the gateway
 * (`setpriv`), dies first when memory is short (`choom`), sees nothing else (`unshare`), and has the kernel's limits
 * (`prlimit`).
 */
export function confined({ tools, namespaces }: Host, { command, args, limits, hidden }: Confinement): [string, ...string[]] {
  const { setpriv, choom, unshare, sh, mount, prlimit } = tools;
  const prefix = [
    ...(setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(choom ? [choom, '-n', '1000', '--'] : []),
    ...(namespaces && unshare && sh && mount && setpriv
      ? [
          ...[unshare, ...NAMESPACES, ...(namespaces === 'own-proc' ? ['--mount-proc'] : []), '--'],
          // Last, as `mount` looks there.
          ...[sh, '-c', COVER, 'sh', mount, ...hidden, ...(namespaces === 'no-proc' ? ['/proc'] : []), '--'],
          ...[setpriv, ...POWERLESS],
        ]
      : []),
    ...(prlimit ? [prlimit, ...kernelLimits(limits), '--'] : []),
  ];
  const [file = command, ...rest] = [...prefix, command, ...args];
  return [file, ...rest];
}

function kernelLimits({ cpuSeconds, memoryMb, fileMb, addressSpaceMb }: ProcessLimits): string[] {
  return [
    // Above the first it is told by a signal, above the second it is killed.
    `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    `--fsize=${fileMb * MB}`,
    `--data=${(memoryMb + DATA_BEYOND_MB) * MB}`,
    `--nofile=${MAX_DESCRIPTORS}`,
    '--core=0',
    ...(addressSpaceMb === undefined ? [] : [`--as=${addressSpaceMb * MB}`]),
  ];
}
