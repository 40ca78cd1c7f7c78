import { html, type Markup, render } from '../openapi/markup.ts';

export interface DocumentFacts {
  readonly build: string;
  readonly hasSandbox: boolean;
}

export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const documentOf = (facts: DocumentFacts): string => render(page(facts));

const page = ({ build, hasSandbox }: DocumentFacts): Markup => html`<!doctype html>
<html lang="en" data-build="${build}" data-sandbox="${hasSandbox ? 'yes' : 'no'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Gateway</title><link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<script src="/console/boot.js"></script><link rel="stylesheet" href="/console/style.css">
<script type="module" src="/console/app.js"></script></head>
<body><div id="app"></div><noscript>This console needs JavaScript. / Konsol ini memerlukan JavaScript.</noscript></body></html>
`;
