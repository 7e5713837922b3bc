/** The default theme, without fonts of other origins, and the look of charts. */
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

export default DefaultTheme;
