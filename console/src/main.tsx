/** Starts the console in the browser. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyPreferences } from './theme/preferences.ts';
import './theme/tokens.css';
import './theme/base.css';
import './parts/parts.css';

applyPreferences();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
