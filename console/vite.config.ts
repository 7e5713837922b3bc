/** How the console is built: relative addresses, so that it works under any path prefix; hashed files; one chunk a page. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev` passes calls on to. */
const service = process.env.TIDEMARK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // An asset inlined as data: would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 3 },
            { name: 'query', test: /node_modules[\\/]@tanstack[\\/](react-)?query/, priority: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': service, '/console': service } },
});
