/** Absolute paths of the host's programs; null when a program is missing or does not work here. */
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
  /**
   * How children run in their own namespaces, without network, other processes and the gateway's
   * files; null if they do not. With `no-proc` they do not have `/proc`: containers mask parts of
   * their own `/proc`, and the kernel then does not allow mounting another one.
   */
  readonly namespaces: 'own-proc' | 'no-proc' | null;
  readonly proc: boolean;
}

export interface ProcessLimits {
  /** Wall time in ms, always measured with the system clock. */
  readonly wallMs: number;
  readonly cpuSeconds: number;
  /** Resident memory of the process and its descendants, in MB. */
  readonly memoryMb: number;
  /** Maximum size in MB of each file that it writes, and of all files in its folder together. */
  readonly fileMb: number;
  /** Maximum address space in MB. Not for Node, whose engine reserves many gigabytes but uses few of them. */
  readonly addressSpaceMb?: number;
}

export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  readonly limits: ProcessLimits;
  /** Absolute paths of folders and files that the process must not see. They need not exist. */
  readonly hidden: readonly string[];
}

const MB = 1_048_576;
const MAX_DESCRIPTORS = 256;
/**
 * Writable memory in MB that the kernel allows beyond the watched resident memory. It bounds a
 * burst between two polls of the watch. An idle Node process counts about 600 MB, of which it
 * touches 50.
 */
const DATA_BEYOND_MB = 1_024;

/**
 * Options for own network, process, mount and user namespaces. All processes are killed when
 * `unshare` ends.
 */
const NAMESPACES = ['-r', '-n', '-p', '-m', '--fork', '--kill-child'];

/**
 * Script that the first process in the namespaces runs. That process outlives the program, so that
 * signals have their usual effect on the program. An empty, inaccessible folder covers each hidden
 * folder; `/dev/null` covers each hidden file.
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

/** Removes all capabilities, so that processes in the namespaces cannot uncover hidden paths. */
const POWERLESS = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'];

/**
 * Returns the command line that starts a program as confined as this host allows. The program dies
 * with the gateway (`setpriv`), is killed first when memory is short (`choom`), is isolated
 * (`unshare`), and has kernel limits (`prlimit`).
 */
export function confined({ tools, namespaces }: Host, { command, args, limits, hidden }: Confinement): [string, ...string[]] {
  const { setpriv, choom, unshare, sh, mount, prlimit } = tools;
  const prefix = [
    ...(setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(choom ? [choom, '-n', '1000', '--'] : []),
    ...(namespaces && unshare && sh && mount && setpriv
      ? [
          ...[unshare, ...NAMESPACES, ...(namespaces === 'own-proc' ? ['--mount-proc'] : []), '--'],
          // `/proc` must come last, because `mount` reads it.
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
    // The process gets a signal at the first value and is killed at the second.
    `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    `--fsize=${fileMb * MB}`,
    `--data=${(memoryMb + DATA_BEYOND_MB) * MB}`,
    `--nofile=${MAX_DESCRIPTORS}`,
    '--core=0',
    ...(addressSpaceMb === undefined ? [] : [`--as=${addressSpaceMb * MB}`]),
  ];
}
