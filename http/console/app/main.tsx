import { render } from 'preact';
import { App } from './app.tsx';
import { keepLive } from './state/live.ts';
import { person, resume } from './state/session.ts';

const root = document.getElementById('app');
if (root) render(<App />, root);

keepLive();
resume().catch(() => {
  person.value = null;
});
