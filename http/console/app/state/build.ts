import { signal } from '@preact/signals';

/** The id of the gateway's build if it differs from the running one; otherwise null. */
export const newBuild = signal<string | null>(null);

const ownBuild = document.documentElement.dataset['build'];

function noteBuild(response: Response): void {
  const build = response.headers.get('x-console-build');
  if (build !== null) newBuild.value = build === ownBuild ? null : build;
}

/** Requests one of the console's files, because only those responses carry the build header. */
export async function lookForNewBuild(): Promise<void> {
  await fetch('/console/boot.js', { method: 'HEAD', cache: 'no-store' }).then(noteBuild, () => {});
}
