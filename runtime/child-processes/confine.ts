export interface HostTools {
  readonly unshare: string | null;
  readonly setpriv: string | null;
  readonly choom: string | null;
  readonly prlimit: string | null;
  readonly mount: string | null;
  readonly sh: string | null;
}

export interface Host {
  readonly tools: HostTools;
  /** Namespaces of children; null if the host forbids them. `no-proc`: `/proc` cannot be mounted. */
  readonly namespaces: 'own-proc' | 'no-proc' | null;
  readonly proc: boolean;
}

export interface ProcessLimits {
  readonly wallMs: number;
  readonly cpuSeconds: number;
  readonly memoryMb: number;
  /** Maximum size in MB of each written file, and of all files in the job's folder together. */
  readonly fileMb: number;
  /**
   * Limit in MB. Absent for Node, because its engine reserves far more address space than it uses.
   */
  readonly addressSpaceMb?: number;
}

export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  readonly limits: ProcessLimits;
  readonly hidden: readonly string[];
}

const MB = 1_048_576;
const MAX_DESCRIPTORS = 256;
/**
 * Writable memory in MB beyond the limit. It covers bursts between polls and the 600 MB or so that
 * an idle Node maps.
 */
const DATA_BEYOND_MB = 1_024;

/** `--kill-child` kills all processes in the namespaces when `unshare` exits. */
const NAMESPACES = ['-r', '-n', '-p', '-m', '--fork', '--kill-child'];

/**
 * Script of the first process in the namespaces. It runs the program as another process, because
 * the kernel ignores signals that would kill the first one.
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

/** Without capabilities, processes in the namespaces cannot uncover hidden paths. */
const POWERLESS = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'];

/** The program dies with the gateway (`setpriv`) and is the first victim if memory runs out (`choom`). */
export function confined({ tools, namespaces }: Host, { command, args, limits, hidden }: Confinement): [string, ...string[]] {
  const { setpriv, choom, unshare, sh, mount, prlimit } = tools;
  const prefix = [
    ...(setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(choom ? [choom, '-n', '1000', '--'] : []),
    ...(namespaces && unshare && sh && mount && setpriv
      ? [
          ...[unshare, ...NAMESPACES, ...(namespaces === 'own-proc' ? ['--mount-proc'] : []), '--'],
          // `/proc` must be covered last, because `mount` reads it.
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
    // The kernel sends a signal at the first value and kills at the second.
    `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    `--fsize=${fileMb * MB}`,
    `--data=${(memoryMb + DATA_BEYOND_MB) * MB}`,
    `--nofile=${MAX_DESCRIPTORS}`,
    '--core=0',
    ...(addressSpaceMb === undefined ? [] : [`--as=${addressSpaceMb * MB}`]),
  ];
}
