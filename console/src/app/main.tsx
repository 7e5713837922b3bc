/** Starts the console in the browser. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyPreferences } from '../theme/preferences.ts';
import { App } from './app.tsx';
import '../theme/tokens.css';
import '../theme/base.css';
import '../parts/parts.css';

applyPreferences();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
