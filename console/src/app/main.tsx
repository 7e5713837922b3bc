/** Starts the console in the browser. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyPreferences } from '../platform/theme/preferences.ts';
import { App } from './app.tsx';
import '../platform/theme/tokens.css';
import '../platform/theme/base.css';
import '../parts/parts.css';

applyPreferences();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
