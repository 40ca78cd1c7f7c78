import { signal } from '@preact/signals';

/** The build that the gateway serves now, where it is another than the one that runs here. */
export const newBuild = signal<string | null>(null);

const ownBuild = document.documentElement.dataset['build'];

function noteBuild(response: Response): void {
  const build = response.headers.get('x-console-build');
  if (build !== null) newBuild.value = build === ownBuild ? null : build;
}

/** Only what the console itself consists of says which build it is of. To be asked after a time without the gateway. Never rejects. */
export async function lookForNewBuild(): Promise<void> {
  await fetch('/console/boot.js', { method: 'HEAD', cache: 'no-store' }).then(noteBuild, () => {});
}
