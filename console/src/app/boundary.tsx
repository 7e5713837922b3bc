/** Catches errors in the rendering of a page, so that the frame stays usable. */
import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../parts/notice.tsx';

/** The boundary; "Try again" renders the page again. */
export class Boundary extends Component<{ children: ReactNode; onRetry(): void }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  #retry = () => {
    this.props.onRetry();
    this.setState({ error: null });
  };

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="page">
        <h1>This page has failed</h1>
        <ErrorNotice error={this.state.error} retry={this.#retry} />
      </div>
    );
  }
}
