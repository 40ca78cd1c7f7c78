import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aDirectory } from '../../support/stores.ts';

const GATEWAY = fileURLToPath(new URL('../../../scripts/commands/gateway.js', import.meta.url));

/** Why a shell is left out, which is printed too; CI installs all of them. */
function without(shell: string): string | false {
  if (spawnSync(shell, ['-c', 'true']).status === 0) return false;
  console.log(`${shell} is not installed: its completion is not tried.`);
  return `${shell} is not installed`;
}

const scriptFor = (shell: string): string => execFileSync(process.execPath, [GATEWAY, 'completion', shell], { encoding: 'utf8' });

/** A terminal with a zsh in it, where somebody presses Tab: it ends once the word is there. */
const IN_ZSH = `zmodload zsh/zpty
zpty terminal "TERM=dumb zsh -f -i"
zpty -w terminal "autoload -U compinit && compinit -u -D; source $1; PS1=; print LOA''DED"
zpty -r terminal shown "*LOADED*"
zpty -w -n terminal "gateway campaign sta"$'\\t'
zpty -r terminal shown "*campaign start *"
zpty -w -n terminal $'\\x15'"gateway listen --fr"$'\\t'
zpty -r terminal shown "*listen --fresh *"
print -r -- completed
`;

it('bash completes commands and options on Tab', () => {
  const press = (words: string, at: number): string =>
    execFileSync('bash', ['-c', `${scriptFor('bash')}\nCOMP_WORDS=(${words}); COMP_CWORD=${at}; _gateway; echo "\${COMPREPLY[@]}"`], {
      encoding: 'utf8',
    }).trim();
  assert.deepEqual(
    [press('gateway campaign sta', 2), press('gateway listen --fr', 2), press('gateway whoa', 1)],
    ['start', '--fresh', 'whoami'],
  );
});

it('zsh completes commands and options on Tab', { skip: without('zsh') }, (t) => {
  const file = join(aDirectory(t), 'completion.zsh');
  writeFileSync(file, scriptFor('zsh'));
  const { stdout } = spawnSync('zsh', ['-f', '-c', IN_ZSH, 'zsh', file], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(stdout, 'completed\n');
});

it('fish completes commands and options on Tab', { skip: without('fish') }, (t) => {
  const file = join(aDirectory(t), 'completion.fish');
  writeFileSync(file, scriptFor('fish'));
  const press = (line: string): string[] =>
    execFileSync('fish', ['-c', `source ${file}; complete -C '${line}'`], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map((one) => one.split('\t')[0] ?? '');
  assert.deepEqual(
    [press('gateway campaign sta'), press('gateway listen --fr'), press('gateway whoa')],
    [['start'], ['--fresh'], ['whoami']],
  );
});
