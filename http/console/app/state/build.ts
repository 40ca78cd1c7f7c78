import { signal } from '@preact/signals';

/** Build that the gateway serves when it differs from the running one; null otherwise. */
export const newBuild = signal<string | null>(null);

const ownBuild = document.documentElement.dataset['build'];

function noteBuild(response: Response): void {
  const build = response.headers.get('x-console-build');
  if (build !== null) newBuild.value = build === ownBuild ? null : build;
}

/** Requests a console file, because only console files carry the build header. Never rejects. */
export async function lookForNewBuild(): Promise<void> {
  await fetch('/console/boot.js', { method: 'HEAD', cache: 'no-store' }).then(noteBuild, () => {});
}
