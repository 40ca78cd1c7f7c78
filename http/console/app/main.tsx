import { render } from 'preact';
import { App } from './app.tsx';
import { keepLive } from './state/live.ts';
import { keepOutbox } from './state/outbox.ts';
import { resume } from './state/session.ts';

const root = document.getElementById('app');
if (root) render(<App />, root);

keepLive();
keepOutbox();
void resume();
