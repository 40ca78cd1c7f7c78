import { Failure } from '../cluster/operator.ts';
import { COMMON, type Command } from './command.ts';

interface Choice {
  readonly after: string;
  readonly words: readonly string[];
}

function choicesOf(commands: readonly Command[]): readonly Choice[] {
  const next = new Map<string, Set<string>>([['', new Set()]]);
  for (const { name, options } of commands) {
    const words = name.split(' ');
    words.forEach((word, nth) => {
      const before = words.slice(0, nth).join(' ');
      next.set(before, (next.get(before) ?? new Set()).add(word));
    });
    const own = Object.keys({ ...options, ...COMMON }).map((option) => `--${option}`);
    next.set(name, new Set([...(next.get(name) ?? []), ...own]));
  }
  return [...next].map(([after, words]) => ({ after, words: [...words] }));
}

export function completionFor(shell: string, commands: readonly Command[]): string {
  const choices = choicesOf(commands);
  const cases = choices.map(({ after, words }) => `    "${after}") words="${words.join(' ')}" ;;`).join('\n');
  const bash = `_gateway() {
  local said="" word words=""
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$word" in -*) ;; *) [ "$(wc -w <<< "$said")" -lt 2 ] && said="\${said:+$said }$word" ;; esac
  done
  case "$said" in
${cases}
    *) said="\${said%% *}"; case "$said" in
${cases}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _gateway gateway`;
  switch (shell) {
    case 'bash':
      return bash;
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
    case 'fish':
      return choices.flatMap(({ after, words }) => words.map((word) => fishLine(after, word))).join('\n');
    default:
      throw new Failure('Unknown shell. Use bash, zsh or fish.', 2);
  }
}

function fishLine(after: string, word: string): string {
  const condition = after === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${after.split(' ').at(-1)}`;
  return `complete -c gateway -f -n '${condition}' ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`;
}
